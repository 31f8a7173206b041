package inet

import "smpsim/cpus"

// Bind is the system call bind(). An address of 0 stands for all of the host's, a port
// of 0 for any. It fails with [ErrInvalid] on a socket that is bound or connected.
func (u *Sock) Bind(k *cpus.Thread, name Name) error {
	u.net.enterKernel(k)
	entered := k.Enter(u.net.fn.bind)
	u.lockSock(k)
	err := u.inetBind(k, name)
	u.releaseSock(k)
	k.Return(u.net.fn.bind, entered)
	u.net.leaveKernel(k)
	return err
}

// inetBind is the part of __inet_bind() that owns the socket.
func (u *Sock) inetBind(k *cpus.Thread, name Name) error {
	if State(k.LoadPlain(u.state)) != Close || k.LoadPlain(u.num) != 0 {
		return ErrInvalid
	}
	u.own.begin(k)
	u.writeBegin(k)
	u.updateSaddr(k, name.Addr)
	port := int64(name.Port)
	if port == 0 {
		port = u.takePort()
	}
	k.Run(u.net.prices.search)
	k.StorePlain(u.num, port)
	u.addrLock, u.portLock = name.Addr != 0, name.Port != 0
	u.write(k, u.sport, port)
	u.write(k, u.daddr, 0)
	u.write(k, u.dport, 0)
	u.own.end(k, u.OwnName())
	u.writeEnd(k)
	return nil
}

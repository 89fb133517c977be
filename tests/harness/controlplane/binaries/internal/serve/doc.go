// Package serve runs the commands of a program in one process, one at a time: of a short kubectl command, three quarters of the
// processor time are the start of the program.
//
// A client sends the arguments, environment, working folder and open files of a command through a Unix socket, so that the command
// reads and prints as if it had been started there, and exits as it did. A command that finds the server occupied, and one that may
// run until it is interrupted, is started as a program of its own.
package serve

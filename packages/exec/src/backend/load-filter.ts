import { existsSync } from 'node:fs'

/** Number of the system call `prctl`, by architecture. */
const PRCTL: Readonly<Partial<Record<NodeJS.Architecture, number>>> = { x64: 157, arm64: 167 }

/**
 * Programs that ask the kernel for a filter and then become another program: their arguments are the filter in
 * hexadecimal digits, and the command. Both languages can make a system call without anything being compiled.
 */
const LOADERS: readonly (readonly [program: string, command: (prctl: number) => string[]])[] = [
  [
    '/usr/bin/perl',
    (prctl) => [
      '-e',
      `my $code = pack("H*", shift); my $program = pack("S x6 P", length($code) / 8, $code);
syscall(${prctl}, 22, 2, $program, 0, 0) == 0 or die "cannot load the filter of system calls: $!\\n";
exec { $ARGV[0] } @ARGV or die "cannot start $ARGV[0]: $!\\n"`,
    ],
  ],
  [
    '/usr/bin/python3',
    (prctl) => [
      '-ISc',
      `import ctypes, os, struct, sys
code = bytes.fromhex(sys.argv[1]); held = ctypes.create_string_buffer(code, len(code))
program = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", len(code) // 8, ctypes.addressof(held)))
libc = ctypes.CDLL(None, use_errno=True)
if libc.syscall(${prctl}, 22, 2, program, 0, 0): sys.exit("cannot load the filter of system calls: " + os.strerror(ctypes.get_errno()))
os.execvp(sys.argv[2], sys.argv[2:])`,
    ],
  ],
]

/**
 * Gives the start of a command line that loads a filter of system calls and goes on as the rest of it, for tools that
 * cannot load one themselves. It needs Perl or Python where the system keeps them; empty without, or without a filter.
 */
export function loadingFilter(filter: Uint8Array | null): string[] {
  const prctl = PRCTL[process.arch]
  const loader = LOADERS.find(([program]) => existsSync(program))
  if (!filter || prctl === undefined || !loader) return []
  const [program, command] = loader
  return [program, ...command(prctl), Buffer.from(filter).toString('hex')]
}

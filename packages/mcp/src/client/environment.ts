/** Variables that a server process has without being given them: where programs and the home are, and the terminal. */
const INHERITED: readonly string[] = ['HOME', 'LANG', 'LC_ALL', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'TMPDIR', 'USER']

/** The same on Windows. */
const INHERITED_ON_WINDOWS: readonly string[] = [
  ...['APPDATA', 'COMSPEC', 'HOMEDRIVE', 'HOMEPATH', 'LOCALAPPDATA', 'PATH', 'PATHEXT', 'PROCESSOR_ARCHITECTURE'],
  ...['PROGRAMDATA', 'PROGRAMFILES', 'PROGRAMFILES(X86)', 'PROGRAMW6432', 'SYSTEMDRIVE', 'SYSTEMROOT', 'TEMP', 'TMP'],
  ...['USERNAME', 'USERPROFILE', 'WINDIR'],
]

/** The environment of a server process: a short list of the program's own variables, and what is given. */
export function serverEnvironment(
  given: Readonly<Record<string, string>> = {},
  own: Readonly<Record<string, string | undefined>> = process.env,
): Record<string, string> {
  const names = process.platform === 'win32' ? INHERITED_ON_WINDOWS : INHERITED
  const inherited = names.flatMap((name): [string, string][] => {
    const value = own[name]
    // What begins so is a function that a shell exported.
    return value === undefined || value.startsWith('()') ? [] : [[name, value]]
  })
  return { ...Object.fromEntries(inherited), ...given }
}

/** Languages that code can run as. */
export type Runtime = 'python' | 'bash' | 'sh' | 'powershell' | 'javascript' | 'typescript' | 'html' | 'css'

const LANGUAGE_ALIASES: Readonly<Record<string, Runtime>> = {
  python: 'python',
  python3: 'python',
  py: 'python',
  bash: 'bash',
  sh: 'sh',
  shell: 'sh',
  zsh: 'sh',
  pwsh: 'powershell',
  powershell: 'powershell',
  ps1: 'powershell',
  javascript: 'javascript',
  js: 'javascript',
  mjs: 'javascript',
  node: 'javascript',
  typescript: 'typescript',
  ts: 'typescript',
  html: 'html',
  css: 'css',
}

/** Ending of a file of code, by language. */
export const FILE_ENDINGS: Readonly<Record<Runtime, string>> = {
  python: 'py',
  bash: 'bash',
  sh: 'sh',
  powershell: 'ps1',
  javascript: 'js',
  typescript: 'ts',
  html: 'html',
  css: 'css',
}

/** Returns the language for the label of a fence, in any case; `python3.11` counts as Python. */
export function runtimeOf(language: string): Runtime | undefined {
  const name = language.toLowerCase()
  if (/^python[\d.]+$/u.test(name)) return 'python'
  return Object.hasOwn(LANGUAGE_ALIASES, name) ? LANGUAGE_ALIASES[name] : undefined
}

/** The languages that run; blocks in other languages are only saved. */
export type ExecutePolicy = { readonly [Name in Runtime]?: boolean | undefined }

/** Languages that run by default in command lines, as in the Python library; web files are only saved. */
export const COMMAND_LINE_POLICY: ExecutePolicy = { python: true, bash: true, sh: true, powershell: true }

const PIP: Record<string, RegExp> = {
  python: /^! ?pip install/u,
  bash: /^pip install/u,
  shell: /^pip install/u,
  sh: /^pip install/u,
  pwsh: /^pip install/u,
  powershell: /^pip install/u,
  ps1: /^pip install/u,
}

/** Makes `pip install` lines quiet (`-qqq`), by language as written; other lines and languages stay as they are. */
export function quietPip(code: string, language: string): string {
  const pattern = PIP[language]
  if (!pattern) return code
  return code
    .split('\n')
    .map((line) => {
      const command = pattern.exec(line)?.[0]
      return command === undefined || line.includes('-qqq') ? line : line.replaceAll(command, `${command} -qqq`)
    })
    .join('\n')
}

/** A text in which `{name}` is filled with that variable; a placeholder without a variable stays, and is told of. */
export const filledText = (
  template: string,
  variables: Readonly<Record<string, unknown>>,
  onMissing: (name: string) => void,
): string =>
  template.replaceAll(/\{(\w+)\}/gu, (placeholder, name: string) => {
    if (Object.hasOwn(variables, name)) return shown(variables[name])
    onMissing(name)
    return placeholder
  })

const shown = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))

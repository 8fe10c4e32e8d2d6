/** A call in Python source, such as `ModelInfo(id='x')`: name and keyword arguments. */
export interface PythonCall {
  readonly call: string
  readonly [argument: string]: PythonValue | undefined
}

/** Data in Python source: literals, lists, dictionaries and calls. */
export type PythonValue =
  | string
  | number
  | boolean
  | null
  | readonly PythonValue[]
  | PythonCall
  | { readonly [key: string]: PythonValue | undefined }

const TOKEN =
  /\s*(?:(?<string>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")|(?<number>-?\d[\d_]*(?:\.\d+)?(?:[eE][-+]?\d+)?)|(?<name>[A-Za-z_][\w.]*)|(?<sign>[[\]{}(),:=]))/uy

/** Reads data from Python source, starting at an offset, without running it; throws on anything but data. */
export function readPython(source: string, offset: number = 0): PythonValue {
  TOKEN.lastIndex = offset
  let token = next()

  function next(): { kind: string; text: string } {
    const match = TOKEN.exec(source)
    if (!match) return { kind: 'end', text: '' }
    const [kind, text] = Object.entries(match.groups!).find(([, each]) => each !== undefined) as [string, string]
    return { kind, text }
  }
  const fail = (): never => {
    throw new Error(`cannot read Python data: unexpected ${token.kind} \`${token.text}\` before ${TOKEN.lastIndex}`)
  }
  const take = (text: string): void => {
    if (token.text !== text || token.kind === 'string') fail()
    token = next()
  }
  const is = (text: string): boolean => token.kind === 'sign' && token.text === text

  /** Reads items up to a closing bracket. */
  const items = <T>(close: string, item: () => T): T[] => {
    const list: T[] = []
    while (!is(close)) {
      list.push(item())
      if (!is(close)) take(',')
    }
    take(close)
    return list
  }

  const value = (): PythonValue => {
    const { kind, text } = token
    token = next()
    if (kind === 'number') return Number(text.replaceAll('_', ''))
    if (kind === 'string') {
      let joined = textOf(text)
      // Python joins adjacent strings.
      for (; token.kind === 'string'; token = next()) joined += textOf(token.text)
      return joined
    }
    if (kind === 'sign' && text === '(') {
      const list = items(')', value)
      return list.length === 1 ? list[0]! : list
    }
    if (kind === 'sign' && text === '[') return items(']', value)
    if (kind === 'sign' && text === '{') return Object.fromEntries(items('}', pair(':')))
    if (kind !== 'name') return fail()
    if (text === 'None') return null
    if (text === 'True' || text === 'False') return text === 'True'
    if (!is('(')) return text
    take('(')
    return called(text)
  }

  const pair = (sign: string) => (): [string, PythonValue] => {
    const key = token.kind === 'string' ? textOf(token.text) : token.text
    token = next()
    take(sign)
    return [key, value()]
  }

  const called = (name: string): PythonValue => {
    if (name === 'Decimal') return Number(items(')', value)[0])
    if (name === 'datetime.date') return isoDate(items(')', value) as number[])
    if (name.startsWith('datetime.')) return skipCall(name)
    return { call: name, ...Object.fromEntries(items(')', pair('='))) }
  }

  /** Skips the arguments of a time, positional or named: nobody uses them. */
  const skipCall = (name: string): PythonValue => {
    for (let open = 1; open > 0; token = next()) {
      if (token.kind === 'end') fail()
      if (is('(')) open++
      if (is(')')) open--
    }
    return { call: name }
  }

  return value()
}

const isoDate = ([year = 0, month = 0, day = 0]: number[]): string =>
  [String(year), String(month).padStart(2, '0'), String(day).padStart(2, '0')].join('-')

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' }

const textOf = (literal: string): string =>
  literal
    .slice(1, -1)
    .replaceAll(/\\(?:u([\da-f]{4})|(.))/gsu, (_, code: string | undefined, sign: string) =>
      code ? String.fromCharCode(Number.parseInt(code, 16)) : (ESCAPES[sign] ?? sign),
    )

import { XError } from '@x/kernel'

/** A part of an expression. */
export type Token = { readonly at: number; readonly text: string } & (
  | { readonly kind: 'word' | 'comparison' | 'variable' }
  | { readonly kind: 'value'; readonly value: unknown }
)

const PARTS: readonly (readonly [kind: string, pattern: RegExp])[] = [
  ['space', /\s+/uy],
  ['variable', /\$\{([^${}]+)\}/uy],
  ['text', /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"/suy],
  ['number', /-?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/uy],
  ['comparison', /[<>=!]=|[<>]/uy],
  ['not', /!(?=\$\{|\(|\s)/uy],
  ['and', /(?<=\s)&(?=\s)/uy],
  ['or', /(?<=\s)\|(?=\s)/uy],
  ['word', /[a-z_A-Z]\w*|[()]/uy],
]

const CONSTANTS: Readonly<Record<string, unknown>> = { True: true, False: false, None: null }
const WORDS: ReadonlySet<string> = new Set(['not', 'and', 'or', 'len', '(', ')'])

/** Cuts an expression into its parts; what belongs to none is refused. */
export function tokensOf(text: string): Token[] {
  if (typeof text !== 'string') throw refusedExpression(String(text), 'it is not a text')
  const tokens: Token[] = []
  for (let at = 0; at < text.length;) {
    const [kind, match] = partAt(text, at)
    const token = kind === 'space' ? null : tokenOf(text, at, kind, match)
    if (token) tokens.push(token)
    at += match[0].length
  }
  return tokens
}

function partAt(text: string, at: number): [string, RegExpExecArray] {
  for (const [kind, pattern] of PARTS) {
    pattern.lastIndex = at
    const match = pattern.exec(text)
    if (match) return [kind, match]
  }
  throw refusedExpression(text, `\`${text[at]!}\` cannot stand at ${at}`)
}

function tokenOf(text: string, at: number, kind: string, match: RegExpExecArray): Token {
  const [found, name] = match
  if (kind === 'variable') return { kind, at, text: name!.trim() }
  if (kind === 'comparison') return { kind, at, text: found }
  if (kind === 'not' || kind === 'and' || kind === 'or') return { kind: 'word', at, text: kind }
  if (kind === 'text') return { kind: 'value', at, text: found, value: unquoted(found) }
  if (kind === 'number') return { kind: 'value', at, text: found, value: Number(found.replaceAll('_', '')) }
  if (Object.hasOwn(CONSTANTS, found)) return { kind: 'value', at, text: found, value: CONSTANTS[found] }
  if (WORDS.has(found)) return { kind: 'word', at, text: found }
  throw refusedExpression(text, `\`${found}\` at ${at} is neither a variable nor a word of expressions`)
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' }

const unquoted = (quoted: string): string =>
  quoted.slice(1, -1).replaceAll(/\\(.)/gsu, (_, sign: string) => ESCAPES[sign] ?? sign)

/** The error for a text that is not an expression. */
export const refusedExpression = (text: string, problem: string): XError =>
  new XError(
    'invalid-argument',
    `cannot read the expression \`${text}\`: ${problem}; use names as \`\${name}\`, \`not\`, \`and\`, \`or\`, comparisons, numbers, quoted texts, \`True\`, \`False\`, \`None\`, \`len(\${name})\` and parentheses, or give a function`,
    { details: { expression: text } },
  )

import type { ConfigEntry } from '@x/interfaces'

const REDACTED_TEXT = '[redacted]'

/** Matches texts that look like a key, and in a URL a name with a password, or a long name alone. */
const SECRET_SHAPE =
  /\b(?:sk|pk|rk|csk|key|xai|gsk|pplx|nvapi|tvly|glpat|xox[a-z])-[\w-]{12,}|\b(?:Bearer|Basic)\s+[\w.~+/-]{8,}=*|\bAIza[\w-]{20,}|\/\/(?:[^/\s:@]*:[^/\s@]+(?:@[^/\s?#@]+)*|[\w.~%+-]{20,})@|\b(?:gsk|gh[opsur]|github_pat|hf|npm|r8|[spr]k_live|[spr]k_test)_\w{16,}|\bfw_[a-z\d]{20,}|\btgp_v1_[\w-]{20,}|\bA[KS]IA[A-Z\d]{14,}|\bABSK[\w+/]{20,}|\b(?:AQ|ya29)\.[\w.-]{20,}|\beyJ[\w-]{8}[\w.-]{8,}/giu

/** The end of a name under which a secret stands in a text, as in `OPENAI_API_KEY=` or `"token":`. */
const SECRET_NAME_END =
  /(?:(?:api|access|account|auth|private|secret|signing|subscription)[-_]?key|token|secret|pass(?:word|wd|phrase)|authorization)/giu
/** The sign between such a name and its value: the quotes may be escaped, as in JSON within JSON. */
const BEFORE_SECRET = /\\{0,3}["']?\s{0,2}([:=])\s{0,2}(\\{0,3}["'])?/uy
/** A value in quotes, one behind an equals sign, and one behind a colon, where prose may stand, of which words are short. */
const QUOTED_SECRET = /[^"'\\\n]{4,}/uy
const ASSIGNED_SECRET = /[^=>\s&"'`#][^\s&"'`#]{3,}/uy
const TOLD_SECRET = /[\w.~+/-]{10,}/uy

/** The name of a parameter in a URL; some writers of JSON escape the sign before it. */
const PARAMETER = /(?:[?&]|\\u0026)([\w.-]+)=/giu
const SECRET_PARAMETER = /key|token|secret|auth|pass(?:word|wd|phrase)|credential|sig/iu
/** The name of a parameter that signs a URL, or has what no key is called. */
const SIGNING_PARAMETER = /(?:^|[-_.])(?:sig|signature|hmac|jwt|pwd|pass|code_verifier)$/iu
const PARAMETER_VALUE = /[^&\s"'`#]+/uy

/**
 * Takes secrets out of a text: the given ones, also escaped for JSON, URLs or HTML and in base64, what is left of one that
 * was cut off, what looks like a key, and what stands under the name of one, as in `api_key=`. Texts of less than six
 * characters count as no secrets. A text with megabytes that may be one key can become `[redacted]` as a whole.
 */
export function redact(text: string, secrets: Iterable<string>): string {
  return hideForms(text, formsByHead(secrets))
}

/** Copies plain data without secrets, as `redact` does for a text. */
export function redactData(value: unknown, secrets: Iterable<string>): unknown {
  return hideIn(value, formsByHead(secrets))
}

/** Forms of secrets by how they begin. */
type Forms = readonly (readonly [head: string, alike: readonly string[]])[]

/** The forms of sets of secrets: a client has one set for all its texts, and making the forms costs more than a search. */
const knownForms = new WeakMap<Iterable<string>, { readonly secrets: readonly string[]; readonly forms: Forms }>()

function formsByHead(secrets: Iterable<string>): Forms {
  if (!(secrets instanceof Set)) return newForms([...secrets])
  const known = knownForms.get(secrets)
  if (known?.secrets.length === secrets.size && known.secrets.every((secret) => secrets.has(secret))) return known.forms
  const list: string[] = [...secrets]
  const forms = newForms(list)
  knownForms.set(secrets, { secrets: list, forms })
  return forms
}

function newForms(secrets: readonly string[]): Forms {
  const forms = new Map<string, string[]>()
  for (const form of secrets.flatMap(formsOf)) {
    const head = form.slice(0, MIN_FORM_LENGTH)
    const known = forms.get(head)
    if (known) known.push(form)
    else forms.set(head, [form])
  }
  return [...forms]
}

function hideIn(value: unknown, forms: Forms): unknown {
  if (typeof value === 'string') return hideForms(value, forms)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item: unknown) => hideIn(item, forms))
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [hideForms(key, forms), hideIn(item, forms)]))
}

/** Fewest characters in which something is hidden, as in `//:x@`. */
const MIN_TEXT_LENGTH = 5

function hideForms(text: string, forms: Forms): string {
  if (text.length < MIN_TEXT_LENGTH) return text
  let clean = text
  for (const form of forms) clean = hideAlike(clean, form[0], form[1])
  try {
    return hideNamed(hideParameters(clean)).replaceAll(SECRET_SHAPE, hiddenShape)
  } catch (error) {
    // V8 stops optimizing expressions in programs that have many, and then fails at some megabytes of what may be one secret.
    if (error instanceof RangeError) return REDACTED_TEXT
    throw error
  }
}

const hiddenShape = (secret: string): string => (secret.startsWith('//') ? `//${REDACTED_TEXT}@` : REDACTED_TEXT)

/** Hides the values of URL parameters with names of secrets: names first, so that each text is read once. */
function hideParameters(text: string): string {
  if (!text.includes('=')) return text
  let clean = ''
  let from = 0
  for (const match of text.matchAll(PARAMETER)) {
    const begin = match.index + match[0].length
    const minLength = SECRET_PARAMETER.test(match[1]!) ? 1 : minSecretLengthOf(match[1]!)
    if (begin < from || minLength === Infinity) continue
    const value = matchAt(PARAMETER_VALUE, text, begin)?.[0]
    if (value === undefined || value.length < minLength) continue
    clean += text.slice(from, begin) + REDACTED_TEXT
    from = begin + value.length
  }
  return clean + text.slice(from)
}

/** Hides what stands in a text under the name of a secret: an assignment, a part of JSON or a header. */
function hideNamed(text: string): string {
  if (!text.includes('=') && !text.includes(':')) return text
  let clean = ''
  let from = 0
  for (const match of text.matchAll(SECRET_NAME_END)) {
    const end = match.index + match[0].length
    const before = end < from ? null : matchAt(BEFORE_SECRET, text, end)
    if (!before) continue
    const [between, sign, quote] = before
    const begin = end + between.length
    const value = matchAt(quote ? QUOTED_SECRET : sign === '=' ? ASSIGNED_SECRET : TOLD_SECRET, text, begin)
    if (!value) continue
    clean += text.slice(from, begin) + REDACTED_TEXT
    from = begin + value[0].length
  }
  return clean + text.slice(from)
}

function matchAt(expression: RegExp, text: string, index: number): RegExpExecArray | null {
  expression.lastIndex = index
  return expression.exec(text)
}

/** Hides forms that begin alike wherever one begins, as far as the longest goes: a text that was cut ends in the middle of it. */
function hideAlike(text: string, head: string, forms: readonly string[]): string {
  let at = text.indexOf(head)
  if (at === -1) return text
  let clean = ''
  let from = 0
  for (; at !== -1; at = text.indexOf(head, from)) {
    clean += text.slice(from, at) + REDACTED_TEXT
    from = at + Math.max(...forms.map((form) => commonLength(text, at, form)))
  }
  return clean + text.slice(from)
}

/** Counts the characters that a text has in common with a form from a place on. */
function commonLength(text: string, at: number, form: string): number {
  let length = 0
  while (length < form.length && text[at + length] === form[length]) length++
  return length
}

/** Fewest characters of a text that counts as a secret: fewer would be taken out of words. */
const MIN_SECRET_LENGTH = 6

/** Fewest characters of a form: the beginning of one that was cut off is hidden from there on. */
const MIN_FORM_LENGTH = 8

/** Lists the forms in which a secret may stand in a text: as it is, and escaped for JSON, URLs, HTML and base64. */
function formsOf(secret: string): string[] {
  if (secret.length < MIN_SECRET_LENGTH) return []
  const forms = /^[\w.~-]+$/u.test(secret)
    ? [secret]
    : [secret, ...jsonForms(secret), ...urlForms(secret), ...htmlForms(secret)]
  return [...new Set([...forms, ...base64Forms(secret)])]
}

/** As JSON writes it, also inside a text of JSON; some writers escape slashes, and what is not ASCII or means something in HTML. */
function jsonForms(secret: string): string[] {
  const inner = (text: string): string => JSON.stringify(text).slice(1, -1)
  const once = inner(secret)
  const code = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
  const ascii = once.replaceAll(/[<>&'\u007f-\uffff]/g, code)
  return [once, inner(once), once.replaceAll('/', String.raw`\/`), ascii, inner(ascii)]
}

/** Percent-encoded, with digits of either case; some writers keep slashes, and some encode more than others. */
function urlForms(secret: string): string[] {
  const usual = encodeURIComponent(secret.toWellFormed())
  const strict = usual.replaceAll(/[!'()*]/gu, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
  return [usual, strict, usual.replaceAll('%20', '+'), strict.replaceAll('%20', '+')]
    .flatMap((form) => [form, form.replaceAll('%2F', '/')])
    .flatMap((form) => [form, form.replaceAll(/%[\dA-F]{2}/gu, (code) => code.toLowerCase())])
}

function htmlForms(secret: string): string[] {
  const base = secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  return ['&quot;', '&#34;'].flatMap((quote) =>
    ['&#39;', '&#x27;', "'"].map((single) => base.replaceAll('"', quote).replaceAll("'", single)),
  )
}

/** The part of a base64 text that is the same whatever stands before and behind, at each of the three places of a byte. */
function base64Forms(secret: string): string[] {
  const bytes = new TextEncoder().encode(secret)
  return [0, 1, 2].flatMap((before) => {
    const text = btoa(String.fromCharCode(...new Uint8Array(before), ...bytes))
    const form = text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6))
    if (form.length < MIN_FORM_LENGTH) return []
    return [form, form.replaceAll('+', '-').replaceAll('/', '_')]
  })
}

/** Tells whether a key of an entry, a header or a parameter holds a secret, by its name. */
export function isSecretName(name: string): boolean {
  // Counts of tokens and the cache key of a prompt are named like secrets.
  return (
    /key|token|secret|auth|cookie|pass(?:word|wd|phrase)|credential/iu.test(name) &&
    !/tokens$|^prompt_cache_key$|^tool/iu.test(name)
  )
}

/** Fewest characters of a `code` that lets somebody in: those of countries and errors are shorter. */
const MIN_CODE_LENGTH = 16

/** Returns the fewest characters of a parameter of a URL that are a secret, by its name; `Infinity` for an ordinary one. */
function minSecretLengthOf(name: string): number {
  if (isSecretName(name) || SIGNING_PARAMETER.test(name)) return 1
  return name.toLowerCase() === 'code' ? MIN_CODE_LENGTH : Infinity
}

/** Collects the texts of an entry that must never be shown: its key, values with the name of a secret, every header, those of its URL. */
export function secretsOf(entry: Readonly<ConfigEntry>): Set<string> {
  const secrets = new Set<string>()
  const add = (text: string): void => {
    if (text.length >= MIN_SECRET_LENGTH) secrets.add(text)
  }
  const named = Object.entries(entry).filter(([name]) => isSecretName(name))
  // A gateway takes its key in a header of any name.
  for (const value of [...named.map(([, each]) => each), ...Object.values(entry.defaultHeaders ?? {})]) {
    if (typeof value !== 'string') continue
    add(value)
    add(value.trim())
    // `Bearer` and the like stand before the secret.
    add(value.trim().slice(value.trim().lastIndexOf(' ') + 1))
  }
  for (const text of secretsInUrl(entry.baseUrl)) add(text)
  return secrets
}

function secretsInUrl(url: unknown): string[] {
  if (typeof url !== 'string' || !URL.canParse(url)) return []
  const { username, password, searchParams } = new URL(url)
  // A name alone is a token.
  const login = password || username
  const named = [...searchParams]
    .filter(([name, value]) => value.length >= minSecretLengthOf(name))
    .map(([, value]) => value)
  return [login, decoded(login), ...named]
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** A copy of an entry that may be printed: `inspect` and `JSON.stringify` show it without secrets. */
type GuardedEntry<T> = T & { toJSON(): Record<string, unknown> }

/**
 * Copies and freezes an entry, and hides its secrets from `inspect` and `JSON.stringify`, which show functions and instances
 * of classes by their names. Reads and spreads are not affected.
 */
export function guardSecrets<T extends object>(entry: T): GuardedEntry<T> {
  const copy = { ...entry }
  const toPublic = (): Record<string, unknown> => publicEntry(copy)
  Object.defineProperty(copy, Symbol.for('nodejs.util.inspect.custom'), { value: toPublic })
  Object.defineProperty(copy, 'toJSON', { value: toPublic })
  return Object.freeze(copy) as GuardedEntry<T>
}

function publicEntry(entry: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(entry).map(([key, value]) => [key, publicValue(key, value)]))
}

/** Keys of an entry and of a request with headers, whose values are secrets whatever their names. */
const HEADER_KEYS: ReadonlySet<string> = new Set(['defaultHeaders', 'extra_headers'])

function publicValue(key: string, value: unknown): unknown {
  if (isSecretName(key)) return value === undefined || value === null ? value : REDACTED_TEXT
  if (typeof value === 'function') return key === 'provider' ? value.name : `[function ${value.name || 'anonymous'}]`
  // A `baseUrl` that is not a URL may be an API key in the wrong place.
  if (typeof value === 'string')
    return key === 'baseUrl' && !/^https?:\/\//iu.test(value) ? REDACTED_TEXT : redact(value, [])
  if (Array.isArray(value)) return value.map((item: unknown) => publicValue('', item))
  if (typeof value !== 'object' || value === null) return value
  if (HEADER_KEYS.has(key)) return Object.fromEntries(Object.keys(value).map((name) => [name, REDACTED_TEXT]))
  const isPlain = Object.getPrototypeOf(value) === Object.prototype || Object.getPrototypeOf(value) === null
  return isPlain ? publicEntry(value) : `[${value.constructor.name}]`
}

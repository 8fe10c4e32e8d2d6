import { formsOf, LEAST_FORM } from './secret-forms.ts'

const HIDDEN = '[redacted]'

/** What looks like a key, in a text or in a URL. */
const SECRET_SHAPE =
  /\b(?:sk|pk|rk|key|xai|gsk)-[\w-]{12,}|\b(?:Bearer|Basic)\s+[\w.~+/-]{8,}=*|\bAIza[\w-]{20,}|\/\/[^/\s:@]*:[^/\s@]+@|[?&][\w.-]*(?:key|token|secret|auth|password|credential|sig)[\w.-]*=[^&\s"'`#]+/giu

/**
 * Takes secrets out of a text: the given ones, also escaped for JSON, URLs or HTML and in base64, what is left of one that
 * was cut off, and what looks like a key. Texts of less than six characters count as no secrets.
 */
export function redact(text: string, secrets: Iterable<string>): string {
  return hideForms(text, formsByHead(secrets))
}

/** Copies plain data without secrets, as `redact` does for a text. */
export function redactData(value: unknown, secrets: Iterable<string>): unknown {
  return hideIn(value, formsByHead(secrets))
}

/** Forms of secrets by how they begin. */
type Forms = ReadonlyMap<string, readonly string[]>

function formsByHead(secrets: Iterable<string>): Forms {
  const forms = new Map<string, string[]>()
  for (const form of [...secrets].flatMap(formsOf)) {
    const head = form.slice(0, LEAST_FORM)
    const known = forms.get(head)
    if (known) known.push(form)
    else forms.set(head, [form])
  }
  return forms
}

function hideIn(value: unknown, forms: Forms): unknown {
  if (typeof value === 'string') return hideForms(value, forms)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item: unknown) => hideIn(item, forms))
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [hideForms(key, forms), hideIn(item, forms)]))
}

function hideForms(text: string, forms: Forms): string {
  let clean = text
  for (const [head, alike] of forms) clean = hideAlike(clean, head, alike)
  return clean.replaceAll(SECRET_SHAPE, (secret) => {
    if (secret.startsWith('//')) return `//${HIDDEN}@`
    return /^[?&]/u.test(secret) ? `${secret.slice(0, secret.indexOf('='))}=${HIDDEN}` : HIDDEN
  })
}

/** Hides forms that begin alike wherever one begins, as far as the longest goes: a text that was cut ends in the middle of it. */
function hideAlike(text: string, head: string, forms: readonly string[]): string {
  let at = text.indexOf(head)
  if (at === -1) return text
  let clean = ''
  let from = 0
  for (; at !== -1; at = text.indexOf(head, from)) {
    clean += text.slice(from, at) + HIDDEN
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

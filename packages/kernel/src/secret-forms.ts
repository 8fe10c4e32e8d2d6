/** Fewest characters of a text that counts as a secret: fewer would be taken out of words. */
const LEAST_SECRET = 6

/** Fewest characters of a form: the beginning of one that was cut off is hidden from there on. */
export const LEAST_FORM = 8

/** Lists the forms in which a secret may stand in a text: as it is, and escaped for JSON, URLs, HTML and base64. */
export function formsOf(secret: string): string[] {
  if (secret.length < LEAST_SECRET) return []
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
    if (form.length < LEAST_FORM) return []
    return [form, form.replaceAll('+', '-').replaceAll('/', '_')]
  })
}

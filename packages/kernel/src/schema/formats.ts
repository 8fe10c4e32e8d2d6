const TIME = /^([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(?:\.\d+)?(?:z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/iu
const DURATION_DATE = /^P(?:\d+W|(?:\d+Y)?(?:\d+M)?(?:\d+D)?(?:T(?:\d+H)?(?:\d+M)?(?:\d+S)?)?)$/u
const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/iu
const URI_SCHEME = /^[a-z][\da-z+.-]*:/iu
const URI_CHARACTER = /[^\w.~:/?#[\]@!$&'()*+,;=%-]/u
const BROKEN_PERCENT = /%(?![\da-f]{2})/iu
const HOST_LABEL = /^[\da-z](?:[\da-z-]{0,61}[\da-z])?$/iu
const LOCAL_PART = /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}$/u
const IPV6_CHARACTERS = /^[\da-f:.]{2,45}$/iu
const IPV4_NUMBER = /^(?:0|[1-9]\d{0,2})$/u

/** Longest text that is tried as a regular expression, in characters. */
const MAX_EXPRESSION_LENGTH = 5000

function isDate(text: string): boolean {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/u.exec(text) ?? []
  if (year === undefined || month === undefined || day === undefined) return false
  const date = new Date(0)
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day))
  return date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day)
}

const isDateTime = (text: string): boolean =>
  /[t ]/iu.test(text.charAt(10)) && isDate(text.slice(0, 10)) && TIME.test(text.slice(11))

const isUriReference = (text: string): boolean => !URI_CHARACTER.test(text) && !BROKEN_PERCENT.test(text)

/** Braces come in pairs, and none is inside another. */
function isUriTemplate(text: string): boolean {
  let isOpen = false
  for (const brace of text.matchAll(/[{}]/gu)) {
    if ((brace[0] === '{') === isOpen) return false
    isOpen = !isOpen
  }
  return !isOpen && !/[\s"<>\\^`]/u.test(text)
}

function isEmail(text: string): boolean {
  const at = text.lastIndexOf('@')
  const local = text.slice(0, at)
  if (at < 1 || local.length > 64) return false
  const isQuoted = local.length > 2 && local.startsWith('"') && local.endsWith('"')
  const hasGoodDots = !local.startsWith('.') && !local.endsWith('.') && !local.includes('..')
  return (isQuoted || (hasGoodDots && LOCAL_PART.test(local))) && isMailHost(text.slice(at + 1))
}

function isMailHost(host: string): boolean {
  if (!host.startsWith('[')) return isHostname(host)
  const address = host.slice(1, -1)
  return host.endsWith(']') && (isIpv4(address) || /^ipv6:/iu.test(address))
}

const isHostname = (text: string): boolean =>
  text.length <= 253 && text.split('.').every((label) => HOST_LABEL.test(label))

function isIpv4(text: string): boolean {
  const numbers = text.length <= 15 ? text.split('.') : []
  return numbers.length === 4 && numbers.every((number) => IPV4_NUMBER.test(number) && Number(number) <= 255)
}

function isExpression(text: string): boolean {
  if (text.length > MAX_EXPRESSION_LENGTH) return false
  try {
    void new RegExp(text, 'u')
    return true
  } catch {
    return false
  }
}

const isJsonPointer = (text: string): boolean => text === '' || (text.startsWith('/') && !/~(?![01])/u.test(text))

function isRelativePointer(text: string): boolean {
  const [number] = /^(?:0|[1-9]\d*)/u.exec(text) ?? []
  if (number === undefined) return false
  const rest = text.slice(number.length)
  return rest === '#' || isJsonPointer(rest)
}

/**
 * Checks of the formats of JSON Schema, by name; other formats are not checked. Each reads its text once. They accept some
 * texts that the standards refuse, and refuse none that the standards accept in common use.
 */
export const FORMATS: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ['date', isDate],
  ['time', (text) => TIME.test(text)],
  ['date-time', isDateTime],
  ['duration', (text) => DURATION_DATE.test(text) && /\d[A-Z]$/u.test(text)],
  ['uri', (text) => URI_SCHEME.test(text) && isUriReference(text)],
  ['uri-reference', isUriReference],
  ['uri-template', isUriTemplate],
  ['url', (text) => /^(?:https?|ftp):\/\//iu.test(text) && !/\s/u.test(text) && URL.canParse(text)],
  ['email', isEmail],
  ['hostname', isHostname],
  ['ipv4', isIpv4],
  ['ipv6', (text) => text.includes(':') && IPV6_CHARACTERS.test(text) && URL.canParse(`http://[${text}]`)],
  ['regex', isExpression],
  ['uuid', (text) => UUID.test(text)],
  ['json-pointer', isJsonPointer],
  ['json-pointer-uri-fragment', (text) => text.startsWith('#') && isJsonPointer(text.slice(1)) && isUriReference(text)],
  ['relative-json-pointer', isRelativePointer],
])

/** Keys of AWS; temporary ones have a token. */
export interface AwsCredentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string | undefined
}

/** A request whose headers and body are signed. */
interface RequestToSign {
  readonly method: string
  readonly url: string
  /** Every header here is signed. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Where a signature holds, for whom and from when on. */
interface SigningScope {
  readonly credentials: AwsCredentials
  readonly region: string
  readonly service: string
  /** Milliseconds since 1970; a signature holds for some minutes. */
  readonly now: number
}

/** Name of the method, as it stands in the header. */
const ALGORITHM = 'AWS4-HMAC-SHA256'

/**
 * Signs a request by version 4 of the signatures of AWS, and returns the headers to add to it: `authorization`,
 * `x-amz-date` and the token of temporary keys.
 */
export async function signAws(
  { method, url, headers, body }: RequestToSign,
  { credentials, region, service, now }: SigningScope,
): Promise<Record<string, string>> {
  const { host, pathname, search } = new URL(url)
  const time = new Date(now).toISOString().replaceAll(/[:-]|\.\d+/gu, '')
  const date = time.slice(0, 8)
  const { accessKeyId, secretAccessKey, sessionToken } = credentials
  const added = { 'x-amz-date': time, ...(sessionToken && { 'x-amz-security-token': sessionToken }) }
  const lines = Object.entries({ ...headers, host, ...added })
    .map(([name, value]) => [name.toLowerCase(), value.trim().replaceAll(/ +/gu, ' ')] as const)
    .sort(([one], [other]) => (one < other ? -1 : 1))
  const names = lines.map(([name]) => name).join(';')
  const parts = [method, canonicalPath(pathname), canonicalQuery(search)]
  const canonical = [...parts, ...lines.map(([name, value]) => `${name}:${value}`), '', names, await sha256(body)]
  const scope = `${date}/${region}/${service}/aws4_request`
  const text = [ALGORITHM, time, scope, await sha256(canonical.join('\n'))].join('\n')
  let key: Uint8Array<ArrayBuffer> = bytesOf(`AWS4${secretAccessKey}`)
  for (const word of [date, region, service, 'aws4_request']) key = await hmac(key, word)
  const signature = hex(await hmac(key, text))
  return {
    ...added,
    authorization: `${ALGORITHM} Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
  }
}

/** Encodes the path as it is sent once more, as all services of AWS but one demand. */
const canonicalPath = (path: string): string => path.split('/').map(encoded).join('/')

/** Brings the parameters of a URL into the order and the form that are signed. */
function canonicalQuery(search: string): string {
  const pairs = search
    .slice(1)
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const [name = '', ...rest] = pair.split('=')
      return [encoded(decodeURIComponent(name)), encoded(decodeURIComponent(rest.join('=')))] as const
    })
  pairs.sort(([name, value], [other, second]) => (name === other ? (value < second ? -1 : 1) : name < other ? -1 : 1))
  return pairs.map(([name, value]) => `${name}=${value}`).join('&')
}

const encoded = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/gu, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)

const hex = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')

const sha256 = async (text: string): Promise<string> =>
  hex(new Uint8Array(await crypto.subtle.digest('SHA-256', bytesOf(text))))

async function hmac(key: Uint8Array<ArrayBuffer>, text: string): Promise<Uint8Array<ArrayBuffer>> {
  const imported = await crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  return new Uint8Array(await crypto.subtle.sign('HMAC', imported, bytesOf(text)))
}

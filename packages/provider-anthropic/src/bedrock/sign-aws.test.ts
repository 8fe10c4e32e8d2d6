import { expect, test } from 'vitest'
import { signAws } from './sign-aws.ts'

const EXAMPLE = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' }
const NOW = Date.parse('2015-08-30T12:36:00Z')
const ROOT = 'https://example.amazonaws.com/'
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' }
const TOKEN =
  'AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA=='

/** Names of the vectors of the test suite that AWS publishes, with what is signed and the signature there. */
const VECTORS: readonly (readonly [
  name: string,
  request: { method?: string; url?: string; headers?: Record<string, string>; body?: string; token?: string },
  names: string,
  signature: string,
])[] = [
  ['get-vanilla', {}, 'host;x-amz-date', '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'],
  [
    'get-vanilla-query-order-key-case',
    { url: `${ROOT}?Param2=value2&Param1=value1` },
    'host;x-amz-date',
    'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
  ],
  [
    'get-vanilla-empty-query-key',
    { url: `${ROOT}?Param1=value1` },
    'host;x-amz-date',
    'a67d582fa61cc504c4bae71f336f98b97f1ea3c7a6bfe1b6e45aec72011b9aeb',
  ],
  [
    'get-header-value-trim',
    { headers: { 'My-Header1': ' value1', 'My-Header2': ' "a   b   c"' } },
    'host;my-header1;my-header2;x-amz-date',
    'acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736',
  ],
  [
    'post-vanilla',
    { method: 'POST' },
    'host;x-amz-date',
    '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b',
  ],
  [
    'post-header-key-sort',
    { method: 'POST', headers: { 'My-Header1': 'value1' } },
    'host;my-header1;x-amz-date',
    'c5410059b04c1ee005303aed430f6e6645f61f4dc9e1461ec8f8916fdf18852c',
  ],
  [
    'post-x-www-form-urlencoded',
    { method: 'POST', headers: FORM, body: 'Param1=value1' },
    'content-type;host;x-amz-date',
    'ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a',
  ],
  [
    'post-sts-header-before',
    { method: 'POST', token: TOKEN },
    'host;x-amz-date;x-amz-security-token',
    '85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead',
  ],
]

test.each(VECTORS)('the vector `%s` of AWS has its signature', async (_, request, names, signature) => {
  const { method = 'GET', url = ROOT, headers = {}, body = '', token: sessionToken } = request
  const scope = { credentials: { ...EXAMPLE, sessionToken }, region: 'us-east-1', service: 'service', now: NOW }
  const added = await signAws({ method, url, headers, body }, scope)
  expect(added).toEqual({
    'x-amz-date': '20150830T123600Z',
    ...(sessionToken && { 'x-amz-security-token': sessionToken }),
    authorization: `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=${names}, Signature=${signature}`,
  })
})

test('the example of the documentation of IAM has its signature', async () => {
  const added = await signAws(
    {
      method: 'GET',
      url: 'https://iam.amazonaws.com/?Action=ListUsers&Version=2010-05-08',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded; charset=utf-8' },
      body: '',
    },
    { credentials: EXAMPLE, region: 'us-east-1', service: 'iam', now: NOW },
  )
  expect(added['authorization']).toContain('5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7')
})

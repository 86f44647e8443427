import { expect, test } from 'bun:test'
import { sign } from './sign.ts'

const SCOPE = {
  keys: {
    type: 'keys',
    accessKeyId: 'AKIDEXAMPLE',
    secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
    sessionToken: null,
  },
  region: 'us-east-1',
  service: 'service',
  nowMs: Date.parse('2015-08-30T12:36:00Z'),
} as const

/** Cases of AWS's own test suite for signatures, those that are a POST. */
const PUBLISHED: readonly [
  name: string,
  call: { headers: Record<string, string>; body: string; path?: string },
  signedHeaders: string,
  signature: string,
][] = [
  [
    'post-vanilla',
    { headers: {}, body: '' },
    'host;x-amz-date',
    '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b',
  ],
  [
    'post-vanilla-query',
    { headers: {}, body: '', path: '?Param1=value1' },
    'host;x-amz-date',
    '28038455d6de14eafc1f9222cf5aa6f1a96197d7deb8263271d420d138af7f11',
  ],
  [
    'post-header-key-sort',
    { headers: { 'my-header1': 'value1' }, body: '' },
    'host;my-header1;x-amz-date',
    'c5410059b04c1ee005303aed430f6e6645f61f4dc9e1461ec8f8916fdf18852c',
  ],
  [
    'post-x-www-form-urlencoded',
    { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: 'Param1=value1' },
    'content-type;host;x-amz-date',
    'ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a',
  ],
]

for (const [name, { headers, body, path = '' }, signedHeaders, signature] of PUBLISHED) {
  test(`published: ${name}`, async () => {
    const signed = await sign({ url: `https://example.amazonaws.com/${path}`, headers, body }, SCOPE)
    expect(signed).toEqual({
      ...headers,
      'x-amz-date': '20150830T123600Z',
      authorization: `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=${signedHeaders}, Signature=${signature}`,
    })
  })
}

test('published: post-sts-header-before', async () => {
  const sessionToken =
    'AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA=='
  const scope = { ...SCOPE, keys: { ...SCOPE.keys, sessionToken } }
  const signed = await sign({ url: 'https://example.amazonaws.com/', headers: {}, body: '' }, scope)
  expect(signed['x-amz-security-token']).toBe(sessionToken)
  expect(signed.authorization).toEndWith(
    'SignedHeaders=host;x-amz-date;x-amz-security-token, Signature=85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead',
  )
})

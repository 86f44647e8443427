import { describe, expect, test } from 'bun:test'
import { type AwsAccount, checkAwsSignature, type RawRequest } from './support/check-aws-signature.ts'

const ACCOUNT: AwsAccount = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  sessionToken: null,
  region: 'us-east-1',
  service: 'service',
  nowMs: () => Date.parse('2015-08-30T12:36:00Z'),
}

interface Published {
  readonly method?: string
  readonly target?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly signature: string
}

/** Cases of AWS's own test suite: a checker that agrees with them refuses what AWS would refuse. */
const PUBLISHED: Readonly<Record<string, Published>> = {
  'get-vanilla': { signature: '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31' },
  'get-vanilla-query-order-key-case': {
    target: '/?Param2=value2&Param1=value1',
    signature: 'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
  },
  'post-vanilla': {
    method: 'POST',
    signature: '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b',
  },
  'post-header-key-sort': {
    method: 'POST',
    headers: { 'my-header1': 'value1' },
    signature: 'c5410059b04c1ee005303aed430f6e6645f61f4dc9e1461ec8f8916fdf18852c',
  },
  'post-x-www-form-urlencoded': {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'Param1=value1',
    signature: 'ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a',
  },
}

function requestOf({
  method = 'GET',
  target = '/',
  headers = {},
  body = '',
  signature,
}: Published): RawRequest {
  const sent: Record<string, string> = {
    ...headers,
    host: 'example.amazonaws.com',
    'x-amz-date': '20150830T123600Z',
  }
  const names = Object.keys(sent).sort().join(';')
  const authorization = `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=${names}, Signature=${signature}`
  return {
    method,
    target,
    headers: new Map(Object.entries({ ...sent, authorization })),
    body: Buffer.from(body),
  }
}

describe('the checker of signatures the tests use', () => {
  for (const [name, published] of Object.entries(PUBLISHED))
    test(`accepts ${name}`, () => expect(checkAwsSignature(requestOf(published), ACCOUNT)).toBeNull())

  test('refuses a request that was changed or came at another time', () => {
    const request = requestOf(PUBLISHED['post-x-www-form-urlencoded'] ?? { signature: '' })
    const headers = (changes: Record<string, string>) =>
      new Map([...request.headers, ...Object.entries(changes)])
    const account = (changes: Partial<AwsAccount>) => ({ ...ACCOUNT, ...changes })
    const refused: readonly [RawRequest, AwsAccount][] = [
      [{ ...request, body: Buffer.from('Param1=value2') }, ACCOUNT],
      [{ ...request, target: '/x' }, ACCOUNT],
      [{ ...request, method: 'PUT' }, ACCOUNT],
      [{ ...request, headers: headers({ host: 'other.example' }) }, ACCOUNT],
      [{ ...request, headers: headers({ 'x-amz-target': 'unsigned' }) }, ACCOUNT],
      [{ ...request, headers: headers({ authorization: 'Bearer x' }) }, ACCOUNT],
      [{ ...request, headers: headers({ 'x-amz-security-token': 'x' }) }, ACCOUNT],
      [request, account({ secretAccessKey: 'other' })],
      [request, account({ accessKeyId: 'OTHER' })],
      [request, account({ region: 'eu-west-1' })],
      [request, account({ service: 'other' })],
      [request, account({ nowMs: () => ACCOUNT.nowMs() + 301_000 })],
      [request, account({ nowMs: () => ACCOUNT.nowMs() - 301_000 })],
    ]
    for (const [changed, judge] of refused) expect(checkAwsSignature(changed, judge)).not.toBeNull()
    expect(checkAwsSignature(request, account({ nowMs: () => ACCOUNT.nowMs() + 299_000 }))).toBeNull()
  })
})

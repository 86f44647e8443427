import { chat } from '../../support/chat.ts'
import type { TestGateway } from '../../support/test-gateway.ts'
import type { Browser } from './browser.ts'
import { addAccount, addPerson, browserOf } from './people.ts'

/** An account with money, a key, and an owner who is signed in. */
export interface Household {
  readonly accountId: string
  readonly owner: Browser
  readonly ownerId: string
  readonly keyId: string
  readonly secret: string
}

export async function addHousehold(gateway: TestGateway, name: string): Promise<Household> {
  const accountId = await addAccount(gateway, name)
  await gateway.operator('PATCH', `/accounts/${accountId}`, { credit_line: null })
  const email = `owner@${name.toLowerCase()}.example`
  const { id: ownerId } = await addPerson(gateway, email, { accountId, role: 'owner' })
  const owner = await browserOf(gateway, email)
  const key = await owner.call(`POST /accounts/${accountId}/keys`, { body: { name: `${name} key` } })
  return { accountId, owner, ownerId, keyId: key.body.id, secret: key.body.secret }
}

/** Asks a model to its end and gives the request's id. */
/** The fields of the body, and headers beside them. */
type AskedFields = Readonly<Record<string, unknown>> & { readonly headers?: Readonly<Record<string, string>> }

export async function askModel(
  gateway: TestGateway,
  { secret }: Pick<Household, 'secret'>,
  { headers = {}, ...fields }: AskedFields = {},
): Promise<string> {
  const response = await chat(gateway.url, fields, { key: secret, headers })
  await response.text()
  return response.headers.get('x-request-id') ?? ''
}

/** An own supplier at the place of the sandbox, which is a shared one. */
export async function addOwnSupplier(
  gateway: TestGateway,
  { owner, accountId }: Household,
  id: string,
): Promise<{ credentialId: string }> {
  const { base_url } = await gateway.operator<{ base_url: string }>('GET', '/suppliers/sandbox-openai')
  const body = { type: 'sandbox', base_url, formats: ['chat-completion'] }
  const put = await owner.call(`PUT /accounts/${accountId}/own-suppliers/${id}`, { body })
  if (put.status !== 200) throw new Error(JSON.stringify(put.body))
  const added = await owner.call(`POST /accounts/${accountId}/own-suppliers/${id}/credentials`, {
    body: { secret: 'sk-sandbox-own-credential', label: 'mine' },
  })
  if (added.status !== 200) throw new Error(JSON.stringify(added.body))
  return { credentialId: added.body.id }
}

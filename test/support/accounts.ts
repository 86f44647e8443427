import type { TestGateway } from './test-gateway.ts'

export interface IssuedKey {
  readonly id: string
  readonly secret: string
}

/** Fields of a key as the operator API takes them. */
export type KeyFields = Readonly<Record<string, unknown>>

/** A Starter account that may spend without paying, unless it is given a credit line. */
export async function openAccount(gateway: TestGateway, creditLine: string | null = null): Promise<string> {
  const { id } = await gateway.operator<{ id: string }>('POST', '/accounts', { name: 'Test account' })
  await gateway.operator('PATCH', `/accounts/${id}`, { credit_line: creditLine })
  return id
}

export function createKey(
  gateway: TestGateway,
  accountId: string,
  fields: KeyFields = {},
): Promise<IssuedKey> {
  return gateway.operator<IssuedKey>('POST', `/accounts/${accountId}/keys`, { name: 'Test key', ...fields })
}

/** A key of a new account, so that no other test can affect its limits. */
export async function createLoneKey(gateway: TestGateway, fields: KeyFields = {}): Promise<IssuedKey> {
  return createKey(gateway, await openAccount(gateway), fields)
}

export async function balanceOf(gateway: TestGateway, accountId: string): Promise<string> {
  return (await gateway.operator<{ balance: string }>('GET', `/accounts/${accountId}`)).balance
}

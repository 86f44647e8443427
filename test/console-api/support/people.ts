import type { Role } from '../../../src/vocabulary/words.ts'
import type { TestGateway } from '../../support/test-gateway.ts'
import { Browser } from './browser.ts'

export const PASSWORD = 'correct-horse-7-staple'

export interface Person {
  readonly id: string
  readonly email: string
}

export interface PersonOptions {
  readonly isOperator?: boolean
  readonly accountId?: string
  readonly role?: Role
  readonly password?: string | null
}

export async function addPerson(
  gateway: TestGateway,
  email: string,
  options: PersonOptions = {},
): Promise<Person> {
  const { isOperator = false, accountId, role, password = PASSWORD } = options
  return gateway.operator('POST', '/users', {
    email,
    password,
    is_operator: isOperator,
    ...(accountId !== undefined && { account_id: accountId }),
    ...(role !== undefined && { role }),
  })
}

export async function addAccount(gateway: TestGateway, name: string): Promise<string> {
  return (await gateway.operator<{ id: string }>('POST', '/accounts', { name })).id
}

/** A browser in which this person has signed in. */
export async function browserOf(gateway: TestGateway, email: string, password = PASSWORD): Promise<Browser> {
  const browser = new Browser(gateway.url)
  const { status, body } = await browser.signIn(email, password)
  if (status !== 200) throw new Error(`${email} could not sign in: ${JSON.stringify(body)}`)
  return browser
}

interface AuditLine {
  readonly actor: string
  readonly action: string
  readonly subject: string
  readonly before: unknown
  readonly after: unknown
}

/** The audit, newest first. */
export async function readAudit(gateway: TestGateway): Promise<AuditLine[]> {
  return (await gateway.operator<{ data: AuditLine[] }>('GET', '/audit?limit=200')).data
}

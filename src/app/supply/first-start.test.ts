import { beforeEach, describe, expect, test } from 'bun:test'
import type { DataFolder } from '../../edges/settings/data-folder.ts'
import type { LocalOperations } from '../../manage/operations/parts.ts'
import { createSecretKeeper } from '../../rules/access/server-secret.ts'
import { aKey, anAccount } from '../../vocabulary/testing/specimens.ts'
import { findOperatorAccess, findServerSecret, makeFirstAccount } from './first-start.ts'

const secrets = createSecretKeeper('a secret of tests')

let files: Map<string, string>
let folder: DataFolder
beforeEach(() => {
  files = new Map()
  folder = {
    path: '/nowhere',
    read: (name) => files.get(name) ?? null,
    write: (name, text) => void files.set(name, text),
    release: () => undefined,
  }
})

describe('the server secret', () => {
  test('is the configured one, which is not written to disk', () => {
    expect(findServerSecret('configured', folder)).toBe('configured')
    expect(files.size).toBe(0)
  })

  test('is created once and kept', () => {
    const made = findServerSecret(null, folder)
    expect(made).toMatch(/^[A-Za-z0-9]{48}$/)
    expect(findServerSecret(null, folder)).toBe(made)
  })

  test('differs from one folder to another', () => {
    const made = findServerSecret(null, folder)
    files.clear()
    expect(findServerSecret(null, folder)).not.toBe(made)
  })

  test('is never empty, whatever a killed start left behind', () => {
    files.set('server-secret', '')
    expect(findServerSecret(null, folder)).toHaveLength(48)
  })
})

describe('the operator token', () => {
  test('is the configured one', () => {
    const access = findOperatorAccess('configured', folder, secrets)
    expect(access).toMatchObject({ fingerprint: secrets.fingerprint('configured'), newToken: null })
    access.keep()
    expect(files.size).toBe(0)
  })

  test('is created and shown once; only its fingerprint is stored', () => {
    const { fingerprint, newToken, keep } = findOperatorAccess(null, folder, secrets)
    expect(newToken).toMatch(/^op-[A-Za-z0-9]{48}$/)
    expect(secrets.fingerprint(newToken ?? '')).toBe(fingerprint)
    expect(files.size).toBe(0)
    keep()
    expect([...files.values()].join()).not.toContain(newToken ?? '')
    expect(findOperatorAccess(null, folder, secrets)).toMatchObject({ fingerprint, newToken: null })
  })

  test('is created again when a killed start left an empty file', () => {
    files.set('operator-token.fingerprint', '')
    expect(findOperatorAccess(null, folder, secrets).newToken).not.toBeNull()
  })
})

/** Accounts and keys as far as a first start deals with them; `made` says what it did. */
function bookkeeping(accountIds: string[], keyCount: number) {
  const made: string[] = []
  const part: Partial<LocalOperations> = {
    listAccounts: async () => ({
      data: accountIds.map((id) => ({ ...anAccount({ id }), balanceNano: 0n })) as never,
      nextCursor: null,
    }),
    listKeys: async () => ({
      data: Array.from({ length: keyCount }, () => aKey()) as never,
      nextCursor: null,
    }),
    createAccount: async () => {
      made.push('account')
      return anAccount() as never
    },
    changeAccount: async (_id, change) => {
      made.push(`credit line ${change.creditLineNano}`)
      return {} as never
    },
    createKey: async () => {
      made.push('key')
      return { secret: 'sk-made' } as never
    },
    issueKey: async (_id, { secret }) => {
      made.push(`key ${secret}`)
      return { secret } as never
    },
  }
  return { made, operations: part as LocalOperations }
}

describe('the first account', () => {
  test('is created with a key and unlimited credit', async () => {
    const { made, operations } = bookkeeping([], 0)
    expect(await makeFirstAccount(operations, null)).toBe('sk-made')
    expect(made).toEqual(['account', 'credit line null', 'key'])
  })

  test('has the configured key', async () => {
    const { made, operations } = bookkeeping([], 0)
    expect(await makeFirstAccount(operations, 'sk-mine')).toBe('sk-mine')
    expect(made).toEqual(['account', 'credit line null', 'key sk-mine'])
  })

  test('gets its key when an earlier start ended before creating it', async () => {
    const { made, operations } = bookkeeping(['acc_1'], 0)
    expect(await makeFirstAccount(operations, null)).toBe('sk-made')
    expect(made).toEqual(['credit line null', 'key'])
  })

  test.each([
    ['one account with a key', ['acc_1'], 1],
    ['several accounts', ['acc_1', 'acc_2'], 0],
  ] as const)('is not made when there is %s', async (_name, accounts, keys) => {
    const { made, operations } = bookkeeping([...accounts], keys)
    expect(await makeFirstAccount(operations, 'sk-mine')).toBeNull()
    expect(made).toEqual([])
  })
})

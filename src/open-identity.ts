import type { Books } from './books.ts'
import type { NoteWrongToken } from './edges/management-api/operator/index.ts'
import { createOidcProvider } from './edges/oidc/provider.ts'
import type { Settings } from './edges/settings/settings.ts'
import { AuditDesk } from './gateway/identity/audit-desk.ts'
import { createIdentity, type IdentityDesk } from './gateway/identity/index.ts'
import { systemRandom } from './gateway/operate/random-source.ts'
import { WrongTokens } from './rules/access/wrong-tokens.ts'
import { attemptCompany } from './shared-memory.ts'
import type { Surroundings } from './surroundings.ts'
import { networkOf } from './wire/trusted-proxies.ts'

/** Who may sign in to the console, as the settings want it. */
export function openIdentity(
  settings: Settings,
  { clock, log }: Surroundings,
  { storage, secrets, configuration, operations, commons }: Books,
): IdentityDesk {
  const company = attemptCompany(commons)
  return createIdentity({
    store: storage,
    secrets,
    accounts: {
      has: (id) => configuration.current().accounts.has(id),
      create: async (input, actor) => (await operations.createAccount(input, actor)).id,
    },
    provider: settings.oidc && createOidcProvider(settings.oidc, clock),
    random: { id: systemRandom.id, bytes: (count) => crypto.getRandomValues(new Uint8Array(count)) },
    clock,
    log,
    allowsSignUp: settings.signUp === 'on',
    publicUrl: settings.publicUrl,
    ...(company !== undefined && { company }),
  })
}

/** Counts wrong operator tokens by address. One line of the audit stands for a whole burst of them. */
export function openWrongTokens(
  { clock, log }: Surroundings,
  { storage }: Pick<Books, 'storage'>,
): NoteWrongToken {
  const tokens = new WrongTokens(clock)
  const audit = new AuditDesk(clock, systemRandom.id)
  return (address) => {
    const { waitMs, toReport } = tokens.note(networkOf(address ?? 'unknown'))
    if (toReport !== null) {
      const after = { address, attempts: toReport }
      const deed = { actor: 'nobody', action: 'operator.token_refused', subject: 'operator-token', after }
      // Nobody waits for it: whoever sends wrong tokens is answered the same while the database is away.
      storage
        .writeEvent(audit.event(deed))
        .catch((error) => log.trouble('a wrong operator token could not be written to the audit', error))
    }
    return waitMs
  }
}

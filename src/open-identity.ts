import type { Books } from './books.ts'
import { createOidcProvider } from './edges/oidc/provider.ts'
import type { Settings } from './edges/settings/settings.ts'
import { createIdentity, type IdentityDesk } from './gateway/identity/index.ts'
import { systemRandom } from './gateway/operate/random-source.ts'
import { attemptCompany } from './shared-memory.ts'
import type { Surroundings } from './surroundings.ts'

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
      create: async (input, actor) => (await operations.createAccount(input, actor)).account.id,
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

import { replaceOperatorToken } from '../../../app/supply/first-start.ts'
import type { DataFolder } from '../../../edges/settings/data-folder.ts'
import { enterDataFolder } from '../../../edges/settings/data-folder.ts'
import { type Environment, readSettings } from '../../../edges/settings/read-settings.ts'
import type { Settings } from '../../../edges/settings/settings.ts'
import { AuditLog } from '../../../manage/identity/audit-log.ts'
import { systemRandom } from '../../../manage/operations/random-source.ts'
import { SYSTEM_CLOCK } from '../../../vocabulary/clock.ts'
import { actionGroup } from '../../action-group.ts'
import { DONE, UsageError } from '../../command.ts'
import { gatewayAddressOf } from '../../gateway-address.ts'
import { explained, openFolder, secretOf } from '../../nearby-gateway.ts'
import { requireDatabase } from '../../offline-database.ts'
import { callEndpoint } from '../../operator-action.ts'
import { createOperatorClient, OperatorCallError } from '../../operator-client.ts'
import { printFacts } from '../../print-table.ts'

export const createOperatorCommand = actionGroup('operator', {
  summary: 'replace the operator token',
  actions: {
    'reset-token': {
      summary:
        'make a new operator token, which is shown once; the old one ends. Needs the data folder, and no token',
      examples: [
        'turnpike operator reset-token',
        'docker compose exec turnpike turnpike operator reset-token',
      ],
      run: async (call) => {
        const { environment, terminal } = call
        const token = await resetToken(environment)
        terminal.showProgress?.('Waiting for the gateway …')
        const gateway = await findTaker(gatewayAddressOf(environment), token)
        const facts = { operator_token: token, gateway }
        printFacts(call, facts, { 'operator token (shown once)': token, gateway: ADVICE[gateway] })
        return DONE
      },
    },
  },
})

type Taker = 'takes_it' | 'down' | 'does_not_take_it'

const ADVICE: Readonly<Record<Taker, string>> = {
  takes_it: 'takes it from now on',
  down: 'none answers; the next start takes it',
  does_not_take_it:
    'does not take it; it was started with TURNPIKE_OPERATOR_TOKEN or on another data folder. Restart it without the variable, or with the new token in it',
}

async function resetToken(environment: Environment): Promise<string> {
  const settings = readSettings(environment)
  if (settings.operatorToken !== null) {
    throw new UsageError(
      'the operator token comes from TURNPIKE_OPERATOR_TOKEN: set that to another token and restart the gateway. If only this shell has the variable, unset it and run this again.',
    )
  }
  requireDatabase(settings)
  const { folder } = openFolder(settings)
  try {
    return await replaceIn(settings, folder ?? enterDataFolder(settings.dataFolder))
  } catch (error) {
    throw explained(error, settings)
  } finally {
    folder?.release()
  }
}

async function replaceIn(settings: Settings, folder: DataFolder): Promise<string> {
  const { openOfflineDatabase } = await import('../../../app/offline/open-offline.ts')
  const { storage, secrets, close } = await openOfflineDatabase(settings, secretOf(settings, folder))
  try {
    const token = replaceOperatorToken(folder, secrets)
    if (token === null) {
      throw new UsageError(
        `no token was made for ${JSON.stringify(folder.path)}: its gateway gets it from TURNPIKE_OPERATOR_TOKEN. Set that to another token and restart the gateway.`,
      )
    }
    const audit = new AuditLog(SYSTEM_CLOCK, systemRandom.id)
    const deed = { actor: 'command-line', action: 'operator.token_reset', subject: 'operator-token' }
    await storage.writeEvent(audit.event(deed))
    return token
  } finally {
    await close()
  }
}

// A gateway looks once a second. Few tries, because it counts wrong tokens.
const TRIES_AFTER_MS = [1_200, 1_300, 2_500]

async function findTaker(url: string, token: string): Promise<Taker> {
  const client = createOperatorClient({ url, token })
  for (const waitMs of TRIES_AFTER_MS) {
    await Bun.sleep(waitMs)
    try {
      await callEndpoint(client, 'showSystem')
      return 'takes_it'
    } catch (error) {
      if (!(error instanceof OperatorCallError) || error.status === null) return 'down'
    }
  }
  return 'does_not_take_it'
}

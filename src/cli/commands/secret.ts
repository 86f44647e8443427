import { join } from 'node:path'
import { makeServerSecret, SECRET_FILE } from '../../app/supply/first-start.ts'
import { type DataFolder, openDataFolder, renameSynced } from '../../edges/settings/data-folder.ts'
import { OTHER_NAMES } from '../../edges/settings/known-names.ts'
import { type Environment, readSettings } from '../../edges/settings/read-settings.ts'
import type { Settings } from '../../edges/settings/settings.ts'
import { explainStartFailure } from '../../edges/settings/start-failure.ts'
import { type Rotation, rotateSecret } from '../../edges/storage/rotate-secret.ts'
import { actionGroup } from '../action-group.ts'
import { DONE, UsageError } from '../command.ts'
import { requireDatabase } from '../offline-database.ts'
import { writeJson } from '../print-table.ts'

/** The new secret of a rotation, until the database uses it. */
const NEXT_FILE = `${SECRET_FILE}.next`
const NEW_SECRET = OTHER_NAMES.newSecret
const SHORTEST_SECRET = 16

export const createSecretCommand = actionGroup('secret', {
  summary: 'change the server secret',
  actions: {
    rotate: {
      summary: `re-encrypt the database, from TURNPIKE_SECRET to ${NEW_SECRET}; stop the gateway first`,
      examples: [`${NEW_SECRET}="$(openssl rand -hex 24)" turnpike secret rotate`],
      run: async ({ environment, terminal, asJson }) => {
        terminal.showProgress?.('Re-encrypting …')
        const { rotation, advice } = await rotate(environment)
        const { isNew, credentials, replies, lostReplies, isSwept } = rotation
        const facts = {
          rotated: isNew,
          credentials,
          replies,
          lost_replies: lostReplies,
          swept: isSwept,
          advice,
        }
        terminal.print(asJson ? writeJson(facts) : report(rotation, advice))
        return DONE
      },
    },
  },
})

interface Rotated {
  readonly rotation: Rotation
  /** What to do after it. */
  readonly advice: string
}

async function rotate(environment: Environment): Promise<Rotated> {
  const settings = readSettings(environment)
  requireDatabase(settings)
  const folder = openDataFolder(settings.dataFolder)
  try {
    return await rotateIn(folder, settings, makePlan(environment, settings, folder))
  } catch (error) {
    if (error instanceof UsageError) throw error
    // A database error may contain the address, and with it a password.
    throw new Error(explainStartFailure(error, settings) ?? messageOf(error), { cause: error })
  } finally {
    folder.release()
  }
}

function makePlan(environment: Environment, { serverSecret }: Settings, folder: DataFolder): Plan {
  if (serverSecret === null) return planInFolder(environment, folder)
  return planInEnvironment(environment, serverSecret)
}

async function rotateIn(folder: DataFolder, { databaseUrl }: Settings, plan: Plan): Promise<Rotated> {
  const { oldSecret, newSecret } = plan
  if (oldSecret === newSecret) throw new UsageError(`${NEW_SECRET} is already the secret in use`)
  plan.prepare()
  const rotation = await rotateSecret({ databaseUrl, dataFolder: folder.path, oldSecret, newSecret })
  plan.finish()
  return { rotation, advice: plan.advice }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

interface Plan {
  readonly oldSecret: string
  readonly newSecret: string
  /** What to do after the rotation. */
  readonly advice: string
  prepare(): void
  finish(): void
}

function planInEnvironment(environment: Environment, oldSecret: string): Plan {
  const newSecret = readNewSecret(environment)
  if (newSecret === null) throw new UsageError(`${NEW_SECRET} is not set; set it to the new secret`)
  const advice = `Start every node with TURNPIKE_SECRET set to what ${NEW_SECRET} is now.`
  const nothing = () => {}
  return { oldSecret, newSecret, advice, prepare: nothing, finish: nothing }
}

/**
 * The new secret is on disk before anything is sealed with it, and replaces the old one in one step. If a rotation is
 * interrupted, run it again to finish it.
 */
function planInFolder(environment: Environment, folder: DataFolder): Plan {
  const oldSecret = folder.read(SECRET_FILE) || null
  if (oldSecret === null) {
    throw new UsageError(`there is no server secret in ${JSON.stringify(folder.path)}; set TURNPIKE_SECRET`)
  }
  const cutOff = folder.read(NEXT_FILE) || null
  const wanted = readNewSecret(environment)
  const newSecret = cutOff ?? wanted ?? makeServerSecret()
  const isOther = cutOff !== null && wanted !== null && wanted !== cutOff
  return {
    oldSecret,
    newSecret,
    advice: isOther
      ? `This finished an interrupted rotation; run it again for ${NEW_SECRET}.`
      : 'The new secret is in the data folder; start the gateway as before.',
    prepare: () => folder.write(NEXT_FILE, newSecret),
    finish: () => renameSynced(join(folder.path, NEXT_FILE), join(folder.path, SECRET_FILE)),
  }
}

function readNewSecret(environment: Environment): string | null {
  const text = environment[NEW_SECRET] || null
  if (text !== null && text.length < SHORTEST_SECRET) {
    throw new UsageError(`${NEW_SECRET} has ${text.length} characters; it needs at least ${SHORTEST_SECRET}`)
  }
  return text
}

function report({ isNew, credentials, replies, lostReplies, isSwept }: Rotation, advice: string): string {
  if (!isNew) return `The database already uses the new secret.\n${advice}\n`
  const lines = [`Re-encrypted: ${credentials} credentials, ${replies} kept replies. API keys are unchanged.`]
  if (lostReplies > 0)
    lines.push(`Deleted: ${lostReplies} kept replies that could not be opened with the old secret.`)
  if (!isSwept) lines.push('The files of the database may hold old seals; vacuum it when there is room.')
  return `${[...lines, advice].join('\n')}\n`
}

import { type OwnRedis, startOwnRedis } from '../../../scripts/tests/redis.ts'
import { type Sandbox, startSandbox } from '../../../src/sandbox/server.ts'
import {
  type Environment,
  environmentOf,
  type GatewayProcess,
  makeFolder,
  removeFolder,
  type StartOptions,
  startProcess,
  stopProcess,
} from '../../robustness/support/gateway-process.ts'
import { makeDatabase } from '../../robustness/support/own-database.ts'

/** The model every node offers. */
export const MODEL = 'sandbox-chat'

/** Prompts are free, so that a request costs what is held for it, however its prompt is estimated. */
const PRICE = { input: '0', output: '1.1' }

export interface FleetOptions {
  readonly size: number
  /** Of every node. */
  readonly environment?: Environment
  /** Used instead of a new database on the test server. */
  readonly databaseUrl?: string
  /** What runs the first nodes, when it is not this version; nodes that are restarted run this one. */
  readonly program?: readonly string[]
}

/** Several gateways on one PostgreSQL and one Redis, each in its own process, and a supplier they share. */
export class Fleet {
  readonly nodes: GatewayProcess[] = []
  readonly redis: OwnRedis
  readonly databaseUrl: string
  readonly sandbox: Sandbox
  readonly folders: string[] = []
  readonly #environment: Environment
  readonly #dropDatabase: () => Promise<void>

  private constructor(parts: {
    readonly redis: OwnRedis
    readonly databaseUrl: string
    readonly sandbox: Sandbox
    readonly environment: Environment
    readonly dropDatabase: () => Promise<void>
  }) {
    this.redis = parts.redis
    this.databaseUrl = parts.databaseUrl
    this.sandbox = parts.sandbox
    this.#environment = parts.environment
    this.#dropDatabase = parts.dropDatabase
  }

  /** Null when PostgreSQL or Redis cannot be had here. */
  static async start({ size, environment = {}, databaseUrl, program }: FleetOptions): Promise<Fleet | null> {
    const database =
      databaseUrl === undefined ? await makeDatabase() : { url: databaseUrl, drop: async () => {} }
    if (database === null) return null
    const redis = await startOwnRedis()
    if (redis === null) {
      await database.drop()
      return null
    }
    const fleet = new Fleet({
      redis,
      databaseUrl: database.url,
      sandbox: startSandbox(),
      environment,
      dropDatabase: () => database.drop(),
    })
    // The first makes the tables and the first account; the others find them.
    await fleet.add({}, { program })
    await Promise.all(Array.from({ length: size - 1 }, () => fleet.add({}, { program })))
    await registerSupply(fleet.first, fleet.sandbox.url)
    return fleet
  }

  get first(): GatewayProcess {
    return this.node(0)
  }

  get urls(): string[] {
    return this.nodes.map(({ url }) => url)
  }

  node(index: number): GatewayProcess {
    const node = this.nodes[index]
    if (node === undefined) throw new Error(`there is no node ${index}`)
    return node
  }

  /** Starts one more node. */
  async add(more: Environment = {}, start: StartOptions = {}): Promise<GatewayProcess> {
    const folder = makeFolder()
    const index = this.folders.push(folder) - 1
    const node = await startProcess(this.environmentFor(folder, more), start)
    this.nodes[index] = node
    return node
  }

  /** Starts a node again in the folder it had. */
  async restart(index: number, more: Environment = {}): Promise<GatewayProcess> {
    const node = await startProcess(this.environmentFor(this.folders[index] ?? '', more))
    this.nodes[index] = node
    return node
  }

  environmentFor(folder: string, more: Environment = {}): Environment {
    return environmentOf(folder, {
      DATABASE_URL: this.databaseUrl,
      REDIS_URL: this.redis.url,
      TURNPIKE_SANDBOX: 'off',
      TURNPIKE_SUPPLY: 'off',
      TURNPIKE_NODE_NAME: `node-${this.folders.indexOf(folder)}`,
      ...this.#environment,
      ...more,
    })
  }

  async stop(): Promise<void> {
    await Promise.all(this.nodes.map((node) => stopProcess(node)))
    for (const folder of this.folders) removeFolder(folder)
    await this.sandbox.stop()
    await this.redis.stop()
    await this.#dropDatabase()
  }
}

async function registerSupply(node: GatewayProcess, sandboxUrl: string): Promise<void> {
  await node.operator('PUT', '/suppliers/acme', {
    type: 'openai-compatible',
    base_url: `${sandboxUrl}/v1`,
    formats: ['chat-completion'],
    enabled: true,
  })
  await node.operator('POST', '/suppliers/acme/credentials', { secret: 'sk-sandbox-fleet' })
  for (const model of [MODEL, 'sandbox-slow']) {
    await node.operator('PUT', `/models/${model}`, {
      owned_by: 'acme',
      display_name: model,
      description: 'Talks back.',
      kinds: ['text'],
      input_token_limit: 128_000,
      output_token_limit: 16_384,
      rpm: null,
      tpm: null,
    })
    await node.operator('PUT', `/models/${model}/routes/acme`, {
      upstream_model: model,
      price: PRICE,
      priority: 1,
      enabled: true,
    })
  }
}

/** A separate model at one more supplier, at the same price. */
export async function addModel(node: GatewayProcess, model: string, supplierUrl: string): Promise<void> {
  await node.operator('PUT', `/suppliers/${model}`, {
    type: 'openai-compatible',
    base_url: `${supplierUrl}/v1`,
    formats: ['chat-completion'],
    enabled: true,
  })
  await node.operator('POST', `/suppliers/${model}/credentials`, { secret: 'sk-fleet' })
  await node.operator('PUT', `/models/${model}`, { owned_by: 'fleet', output_token_limit: 4_096 })
  await node.operator('PUT', `/models/${model}/routes/${model}`, {
    upstream_model: model,
    price: PRICE,
    priority: 1,
    enabled: true,
  })
}

export interface NewAccount {
  readonly accountId: string
  readonly keyId: string
  readonly secret: string
}

/** An account with one key; `balance` is paid in, `rpm` and `tpm` are its tier's. */
export async function openAccount(
  node: GatewayProcess,
  { balance, rpm, tpm, key = {} }: { balance?: string; rpm?: number; tpm?: number; key?: object },
): Promise<NewAccount> {
  const account = await node.operator<{ id: string }>('POST', '/accounts', { name: 'crowd' })
  if (balance === undefined) await node.operator('PATCH', `/accounts/${account.id}`, { credit_line: null })
  else
    await node.operator('POST', `/accounts/${account.id}/payments`, { amount: balance, reference: 'first' })
  await node.operator('PUT', `/accounts/${account.id}/tier`, {
    tier: 'Enterprise',
    rpm: rpm ?? 10_000_000,
    tpm: tpm ?? 1_000_000_000,
    reason: 'test',
  })
  const made = await node.operator<{ id: string; secret: string }>('POST', `/accounts/${account.id}/keys`, {
    name: 'crowd',
    ...key,
  })
  return { accountId: account.id, keyId: made.id, secret: made.secret }
}

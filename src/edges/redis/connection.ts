import { Cluster, Command, type Redis } from 'ioredis'
import { LimitsAway, LimitsRefused } from './limits-errors.ts'
import type { LimitsScript } from './limits-script.ts'
import type { RedisClient } from './open-client.ts'
import { SilenceWatch } from './silence-watch.ts'

export type Argument = string | number

export interface ConnectionRules {
  readonly deadlineMs: number
  /** Called when a silent connection is given up. */
  readonly onGivenUp: () => void
}

const SCAN_BATCH = 1_000

/** Sends commands to Redis in order, fails fast, and never retries. */
export class LimitsConnection {
  readonly #client: RedisClient
  readonly #rules: ConnectionRules
  // One per server, since one server of a Cluster can be silent while the others answer.
  readonly #watches = new Map<string, SilenceWatch>()

  constructor(client: RedisClient, rules: ConnectionRules) {
    this.#client = client
    this.#rules = rules
  }

  get isCluster(): boolean {
    return this.#client instanceof Cluster
  }

  /** All keys of a script must be on one server. */
  run(script: LimitsScript, keys: readonly string[], values: readonly Argument[]): Promise<unknown> {
    const rest = [keys.length, ...keys, ...values]
    return this.#ask(keys[0] ?? '', {
      send: () => this.#command('evalsha', [script.sha, ...rest]),
      sendWhole: () => this.#command('eval', [script.text, ...rest]),
    })
  }

  send(command: string, key: string, ...values: readonly Argument[]): Promise<unknown> {
    return this.#ask(key, { send: () => this.#command(command, [key, ...values]) })
  }

  publish(channel: string, message: string): Promise<unknown> {
    return this.#ask(channel, { send: () => this.#client.publish(channel, message) })
  }

  /** Every key that matches, on every server. */
  async *scan(pattern: string): AsyncGenerator<string> {
    const servers = this.#client instanceof Cluster ? this.#client.nodes('master') : [this.#client]
    for (const server of servers) {
      let cursor = '0'
      do {
        const from = cursor
        const [next, keys] = await guard(this.#watchOf(this.isCluster ? nameOf(server) : ''), {
          send: () => server.scan(from, 'MATCH', pattern, 'COUNT', SCAN_BATCH),
        })
        yield* keys
        cursor = next
      } while (cursor !== '0')
    }
  }

  #ask(key: string, question: Question<unknown>): Promise<unknown> {
    // The client would refuse too, but only after building the command.
    if (this.#client.status !== 'ready') return Promise.reject(new LimitsAway('Redis is not connected.'))
    return guard(this.#watchOf(this.#serverOf(key)), question)
  }

  /**
   * The client reports each command to a tracing channel, and under Bun it cannot detect that there are no subscribers.
   * Marking the command as traced saves a fifth of its cost.
   */
  #command(name: string, values: Argument[]): Promise<unknown> {
    const command = new Command(name, values, { replyEncoding: 'utf8' })
    command.isTraced = true
    return this.#client.sendCommand(command) as Promise<unknown>
  }

  #serverOf(key: string): string {
    if (!(this.#client instanceof Cluster)) return ''
    return this.#client.slots[new Command('get', [key]).getSlot()]?.[0] ?? ''
  }

  #watchOf(server: string): SilenceWatch {
    const known = this.#watches.get(server)
    if (known !== undefined) return known
    const created = new SilenceWatch({
      deadlineMs: this.#rules.deadlineMs,
      onGivenUp: () => this.#dropSilent(server),
    })
    this.#watches.set(server, created)
    return created
  }

  #dropSilent(server: string): void {
    this.#rules.onGivenUp()
    if (this.#client instanceof Cluster) {
      const silent = this.#client.nodes().find((node) => nameOf(node) === server)
      silent?.disconnect()
    } else {
      this.#client.disconnect(true)
    }
  }
}

interface Question<Answer> {
  readonly send: () => Promise<Answer>
  /** Sent when Redis does not know the script, for example after a restart. */
  readonly sendWhole?: () => Promise<Answer>
}

function guard<Answer>(watch: SilenceWatch, { send, sendWhole }: Question<Answer>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const call = { fail: reject }
    const succeed = (answer: Answer) => {
      watch.end(call)
      resolve(answer)
    }
    const fail = (error: unknown) => {
      watch.end(call)
      reject(describeFailure(error))
    }
    watch.begin(call)
    send().then(succeed, (error: unknown) => {
      if (sendWhole !== undefined && isUnknownScript(error)) sendWhole().then(succeed, fail)
      else fail(error)
    })
  })
}

function isUnknownScript(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('NOSCRIPT')
}

/** The name that the slot table of a Cluster uses. */
function nameOf(server: Redis): string {
  return `${server.options.host}:${server.options.port}`
}

/** Errors of the client contain the command with its arguments, which may be the password. Ours contain the message only. */
function describeFailure(error: unknown): Error {
  if (!(error instanceof Error)) return new LimitsAway('The call to Redis failed.')
  if (error.name === 'ReplyError') return new LimitsRefused(`Redis answered: ${error.message}`)
  return new LimitsAway(`The connection to Redis failed: ${error.message}`)
}

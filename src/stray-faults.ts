import type { Log } from './gateway/ports/log.ts'

/**
 * A fault that nobody caught belongs to one request, or to a job that comes round again. It is written down and
 * everything else goes on: to end the process would break off every stream that it carries.
 */
export function outliveStrayFaults(log: Log): void {
  process.on('uncaughtException', (fault) => log.trouble('a fault that nobody caught', fault))
  process.on('unhandledRejection', (fault) => log.trouble('a failure that nobody awaited', fault))
}

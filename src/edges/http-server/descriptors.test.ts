import { expect, test } from 'bun:test'
import { DescriptorGuard, defaultConnections, descriptorLimit } from './descriptors.ts'

/** A process with so many descriptors left. */
function systemWith(free: number) {
  const system = {
    free,
    open: () => {
      if (system.free === 0) throw new Error('EMFILE')
      system.free -= 1
      return 7
    },
    close: () => {
      system.free += 1
    },
  }
  return system
}

test('notices when no descriptor is left, and frees its reserve', () => {
  const system = systemWith(3)
  const guard = new DescriptorGuard(system)
  expect([guard.check(), system.free]).toEqual([true, 2])
  system.free = 0
  expect([guard.check(), system.free]).toEqual([false, 1])
  expect([guard.check(), system.free]).toEqual([false, 1])
  system.free = 2
  expect([guard.check(), system.free]).toEqual([true, 1])
  guard.close()
  expect(system.free).toBe(2)
})

test('reserves descriptors for supplier connections and everything else', () => {
  for (const limit of [256, 300, 1_024, 20_000, 65_536]) {
    expect(defaultConnections(limit) * 2).toBeLessThanOrEqual(limit - 64)
  }
  expect([defaultConnections(300), defaultConnections(Number.POSITIVE_INFINITY)]).toEqual([118, 50_000])
  expect(defaultConnections(32)).toBe(16)
})

test.skipIf(process.platform !== 'linux')('reads the limit of this process', () => {
  const child = Bun.spawnSync([
    'sh',
    '-c',
    'ulimit -n 250 && exec "$0" -e "$1"',
    process.execPath,
    `console.log((await import(${JSON.stringify(import.meta.resolve('./descriptors.ts'))})).descriptorLimit())`,
  ])
  expect(child.stdout.toString().trim()).toBe('250')
  expect(descriptorLimit()).toBeGreaterThan(64)
})

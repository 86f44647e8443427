import { expect, test } from 'bun:test'
import { countProcessors, type ProcessorFacts } from './processors.ts'

const MEMBERSHIP = '/proc/self/cgroup'

function facts(processors: number, files: Readonly<Record<string, string>> = {}): ProcessorFacts {
  return { platform: 'linux', processors, read: (path) => files[path] ?? null }
}

test('without a limit, all processors that the process may run on are used', () => {
  expect(countProcessors(facts(1))).toBe(1)
  expect(countProcessors(facts(16))).toBe(16)
  const unlimited = { [MEMBERSHIP]: '0::/\n', '/sys/fs/cgroup/cpu.max': 'max 100000\n' }
  expect(countProcessors(facts(8, unlimited))).toBe(8)
})

test.each([
  ['400000 100000', 4],
  ['250000 100000', 2],
  ['50000 100000', 1],
  ['10000000 100000', 16],
])('a container with the limit %s has %i', (limit, expected) => {
  const files = { [MEMBERSHIP]: '0::/\n', '/sys/fs/cgroup/cpu.max': `${limit}\n` }
  expect(countProcessors(facts(16, files))).toBe(expected)
})

test('the limit of a group above the process holds too', () => {
  const group = '/sys/fs/cgroup/system.slice'
  const files = {
    [MEMBERSHIP]: '0::/system.slice/turnpike.service\n',
    [`${group}/turnpike.service/cpu.max`]: '800000 100000\n',
    [`${group}/cpu.max`]: '300000 100000\n',
  }
  expect(countProcessors(facts(16, files))).toBe(3)
})

test('version 1 of the groups is read as well, by its path outside or inside the container', () => {
  const membership = '12:memory:/docker/abc\n4:cpu,cpuacct:/docker/abc\n1:name=systemd:/docker/abc\n'
  for (const folder of ['/sys/fs/cgroup/cpu/docker/abc', '/sys/fs/cgroup/cpu']) {
    const files = {
      [MEMBERSHIP]: membership,
      [`${folder}/cpu.cfs_quota_us`]: '200000\n',
      [`${folder}/cpu.cfs_period_us`]: '100000\n',
    }
    expect(countProcessors(facts(16, files))).toBe(2)
    expect(countProcessors(facts(16, { ...files, [`${folder}/cpu.cfs_quota_us`]: '-1\n' }))).toBe(16)
  }
})

test('what cannot be read limits nothing', () => {
  for (const limit of ['', 'none', '0 0', '100000']) {
    const files = { [MEMBERSHIP]: '0::/\n', '/sys/fs/cgroup/cpu.max': limit }
    expect(countProcessors(facts(4, files))).toBe(4)
  }
  expect(countProcessors(facts(4, { [MEMBERSHIP]: 'nonsense\n' }))).toBe(4)
})

test('systems without workers have one', () => {
  expect(countProcessors({ ...facts(8), platform: 'darwin' })).toBe(1)
})

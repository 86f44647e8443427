import { describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fillIn, readEnvFile, readRootFile, settingsOf } from './support/deploy-files.ts'

const UNIT = readRootFile('deploy/systemd/turnpike.service')
const EXAMPLE = 'deploy/systemd/turnpike.env.example'
const settingOf = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(UNIT)?.[1]

describe('the unit', () => {
  const hasAnalyzer = Bun.which('systemd-analyze') !== null

  test.skipIf(!hasAnalyzer)('is valid for systemd', () => {
    expect(verify(UNIT)).toBe('')
    expect(verify(UNIT.replace('ProtectHome=yes', 'ProtectHouse=yes'))).toContain('ProtectHouse')
  })

  test('every line is a section, a comment or a setting', () => {
    for (const line of UNIT.trimEnd().split('\n')) expect(line).toMatch(/^($|#|\[[A-Z]\w+\]$|[A-Z]\w+=)/)
  })

  test('gives the gateway time to drain and a state folder', () => {
    const settings = settingsOf({
      ...fillIn(readEnvFile(EXAMPLE)),
      TURNPIKE_DATA: settingOf('Environment')?.replace('TURNPIKE_DATA=', '') ?? '',
    })
    expect(Number(settingOf('TimeoutStopSec'))).toBeGreaterThan(
      settings.drainSeconds + settings.shutdownSeconds,
    )
    expect(settings.dataFolder).toBe(`/var/lib/${settingOf('StateDirectory')}`)
    expect(settings.workers).toBeGreaterThan(1)
  })

  test('restarts after any exit, and allows the runtime to compile', () => {
    expect([settingOf('Restart'), settingOf('MemoryDenyWriteExecute')]).toEqual(['always', undefined])
  })

  test('restarts without a limit, since a database may be down for long', () => {
    expect([settingOf('StartLimitIntervalSec'), settingOf('StartLimitBurst')]).toEqual(['0', undefined])
  })
})

describe('the example of its settings', () => {
  test('is read as intended, suggestions included', () => {
    const settings = settingsOf(fillIn(readEnvFile(EXAMPLE, { withSuggestions: true })))
    expect(settings.redisUrl).toStartWith('redis://')
    expect(settings.nodeName).toBe('gateway-1')
  })

  test('does not start a gateway while its secrets are those of the example', () => {
    expect(() => settingsOf(readEnvFile(EXAMPLE))).toThrow('TURNPIKE_SECRET')
  })
})

/** What systemd says of a unit, with a program in it that is there. */
function verify(unit: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'turnpike-unit-'))
  try {
    const path = join(folder, 'turnpike.service')
    writeFileSync(path, unit.replace(/^ExecStart=\S+/m, `ExecStart=${process.execPath}`))
    const command = ['systemd-analyze', 'verify', '--man=no', '--recursive-errors=no', path]
    const { stdout, stderr } = Bun.spawnSync(command)
    return `${stdout}${stderr}`
  } finally {
    rmSync(folder, { recursive: true })
  }
}

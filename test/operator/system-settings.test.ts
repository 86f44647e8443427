import { expect, test } from 'bun:test'
import { variableOf } from '../../console/pages/operator-system/describe-setting.ts'
import { shownSettings } from '../../src/app/open-console.ts'
import { readSettings, settingNames } from '../../src/edges/settings/read-settings.ts'

test('every setting on the system page is under the name of its variable', () => {
  const shown = Object.keys(shownSettings(readSettings({}))).map(variableOf)
  expect(shown.filter((name) => !settingNames().includes(name))).toEqual([])
  expect(new Set(shown).size).toBe(shown.length)
})

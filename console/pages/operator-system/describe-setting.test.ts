import { expect, test } from 'bun:test'
import { describeSetting, type SettingValue, variableOf } from './describe-setting.ts'

test.each([
  ['port', 'PORT'],
  ['data_folder', 'TURNPIKE_DATA'],
  ['max_body_bytes', 'TURNPIKE_MAX_BODY_BYTES'],
])('the setting %s is the variable %s', (name, variable) => {
  expect(variableOf(name)).toBe(variable)
})

test.each<[string, SettingValue, string]>([
  ['public_url', null, 'none'],
  ['database', 'postgresql', 'set'],
  ['redis', false, 'none'],
  ['asset_store', 'folder', 'folder'],
  ['max_held_body_bytes_per_account', 268_000_000, '268.0 MB'],
  ['workers', 4, '4'],
  ['sign_up', 'off', 'off'],
])('%s with the value %p is shown as %p', (name, value, shown) => {
  expect(describeSetting(name, value)).toBe(shown)
})

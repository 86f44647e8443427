import { settingRules } from '../../src/edges/settings/read-settings.ts'
import { SETTING_GROUPS, type SettingDescription } from '../../src/edges/settings/setting-descriptions.ts'
import { BUILT_IN_CATALOG } from '../../src/rules/catalog/built-in/built-in-catalog.ts'

const SETTINGS = /<!-- settings -->[\s\S]*?<!-- \/settings -->/
const NOTHING = '–'

/** The page with its tables of settings as they have to be. */
export function fillSettings(text: string): string {
  const rules = settingRules()
  const chapters = SETTING_GROUPS.map(
    ({ title, settings }) =>
      `## ${title}\n\n| Name | Default | Meaning |\n|---|---|---|\n${settings.map(rowOf).join('')}`,
  )
  return text.replace(
    SETTINGS,
    () => `<!-- settings -->\n${[...chapters, vendorKeys()].join('\n')}<!-- /settings -->`,
  )

  function rowOf({ name, meaning, fallback }: SettingDescription): string {
    const rule = rules.get(name)
    const value = fallback ?? withUnit(name, rule?.fallback ?? null)
    const allowed = rule?.allowed ? ` *Allowed: ${rule.allowed}.*` : ''
    return `| \`${name}\` | ${value} | ${meaning}${allowed} |\n`
  }
}

/** The variables that register a vendor with the built-in catalog, under the names that its SDKs use. */
function vendorKeys(): string {
  const rows = BUILT_IN_CATALOG.vendors.map(({ vendor, key_variables, base_url_variable }) => {
    const keys = key_variables.map((name) => `\`${name}\``).join(', ')
    return `| ${vendor} | ${keys} | ${base_url_variable === null ? NOTHING : `\`${base_url_variable}\``} |\n`
  })
  return `## Keys of vendors

A vendor's key in the environment registers the vendor with the models, limits and prices of the
[built-in catalog](../suppliers/catalog.md).

| Vendor | Key | Base URL |
|---|---|---|
${rows.join('')}`
}

const UNITS = [
  ['GiB', 1024 ** 3],
  ['MiB', 1024 ** 2],
] as const

function withUnit(name: string, fallback: string | null): string {
  if (fallback === null) return NOTHING
  const unit = name.includes('BYTES') ? UNITS.find(([, bytes]) => Number(fallback) >= bytes) : undefined
  return unit === undefined ? fallback : `${fallback} (${Number(fallback) / unit[1]} ${unit[0]})`
}

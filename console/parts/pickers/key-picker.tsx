import { accountPath } from '../../api/client.ts'
import { useKeyNames } from '../../api/use-list.ts'
import type { ApiKey } from '../../api/wire.ts'
import { SearchSelect, type SearchSelectProps } from './search-select.tsx'

export interface KeyPickerProps
  extends Omit<SearchSelectProps<ApiKey>, 'noun' | 'source' | 'nameOf' | 'placeholder'> {
  readonly account: string
  readonly placeholder?: string
  /** Only keys in this state. */
  readonly state?: 'active'
}

/** Chooses a key of the account by its name, last characters or id. */
export function KeyPicker({ account, state, placeholder = 'All keys', ...rest }: KeyPickerProps) {
  const source = {
    key: [account, 'keys'],
    path: accountPath(account, '/keys'),
    query: { state, sort: 'name' },
    choiceOf: keyChoice,
  }
  return (
    <SearchSelect
      {...rest}
      noun="key"
      placeholder={placeholder}
      source={source}
      nameOf={useKeyNames(account)}
    />
  )
}

export function keyChoice({ id, name, last_four }: ApiKey) {
  return { value: id, label: name, hint: last_four === null ? null : `…${last_four}` }
}

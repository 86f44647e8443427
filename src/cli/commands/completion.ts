import { singleAction } from '../action-group.ts'
import { type CommandDefinition, DONE } from '../command.ts'
import { completionFor, SHELLS } from '../parser/completion.ts'

/** The definitions are asked for when the command runs, because it is one of them. */
export function completionCommand(definitions: () => readonly CommandDefinition[]) {
  return singleAction('completion', {
    summary: 'print a script that lets a shell complete commands and flags',
    words: ['shell'],
    choices: { shell: SHELLS },
    notes: { shell: 'the shell that the script is for' },
    examples: [
      'turnpike completion bash > ~/.local/share/bash-completion/completions/turnpike',
      'turnpike completion zsh > ~/.turnpike-completion.zsh',
      'turnpike completion fish > ~/.config/fish/completions/turnpike.fish',
    ],
    hasJson: false,
    run: async ({ terminal, said }) => {
      const shell = SHELLS.find((known) => known === said('shell')) ?? 'bash'
      terminal.print(completionFor(shell, definitions()))
      return DONE
    },
  })
}

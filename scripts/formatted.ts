import { execFileSync } from 'node:child_process'
import { root } from './project-files.ts'

/** As oxfmt would write it, so that a file that a program has written is as good as any. */
export function formatted(path: string, text: string): string {
  const parameters = ['node_modules/oxfmt/bin/oxfmt', `--stdin-filepath=${path}`]
  return execFileSync(process.execPath, parameters, { cwd: root, input: text, encoding: 'utf8' })
}

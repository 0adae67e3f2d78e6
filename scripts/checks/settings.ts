/**
 * What lists the settings follows from their table (src/settings/settings.ts): the table in docs/operating.md,
 * deploy/.env.example, and deploy/settings.schema.json, to which a chart holds its values. This compares them;
 * `npm run write:settings` rewrites them.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { allSettings } from '../../src/settings/config.ts'
import type { Setting } from '../../src/settings/setting.ts'
import { root } from '../project-files.ts'

const guide = 'docs/operating.md'
const writtenBy = 'Written by "npm run write:settings".'

const written: Readonly<Record<string, () => string>> = {
  [guide]: () => readFileSync(join(root, guide), 'utf8').replace(/^\| Setting .*\n(?:\|.*\n)+/m, guideTable),
  'deploy/.env.example': exampleFile,
  'deploy/settings.schema.json': schemaFile,
}

function guideTable(): string {
  const rows = allSettings.map((setting) => [
    `\`${setting.name}\``,
    otherwise(setting),
    setting.roles?.map((role) => `\`${role}\``).join(', ') ?? 'all',
    setting.meaning,
  ])
  const lines = [['Setting', 'Default', 'Roles', 'Meaning'], ...rows]
  const widths =
    lines[0]?.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0))) ?? []
  const padded = lines.map((line) => line.map((cell, column) => cell.padEnd(widths[column] ?? 0)))
  const rule = widths.map((width) => '-'.repeat(width))
  return [padded[0] ?? [], rule, ...padded.slice(1)].map((line) => `| ${line.join(' | ')} |\n`).join('')
}

function exampleFile(): string {
  const head = `# The settings of the ARI gateway, each with its default, or with an example where there is none.
# Remove the # before a setting to set it. Secrets are shown as files; every setting may be in a file, named by
# the setting with _FILE at the end. More: ${guide}. ${writtenBy}
`
  const blocks = allSettings.map((setting) => {
    const roles = setting.roles === undefined ? '' : ` Used by: ${setting.roles.join(', ')}.`
    const usual = plain(otherwise(setting)).replace(/^none: (.*)$/, 'none ($1)')
    const words = `${plain(setting.meaning)}. Default: ${usual}.${roles}`
    return `${comment(words)}\n#${example(setting)}\n`
  })
  return [head, ...blocks].join('\n')
}

function example(setting: Setting<unknown>): string {
  const { name, example: shown, isSecret } = setting
  if (isSecret) return `${name}_FILE=/run/secrets/${name.toLowerCase().replaceAll('_', '-')}`
  return `${name}=${shown ?? shownDefault(setting)}`
}

/** As a chart's values: what a container gets as its environment. */
function schemaFile(): string {
  const properties = allSettings.map((setting): [string, object] => {
    const { name, schema, usual, isSecret, roles, example: shown } = setting
    const isFixed = usual !== undefined && setting.otherwise === undefined
    const annotations = {
      description: `${plain(setting.meaning)}.`,
      ...(isFixed ? { default: typeof usual === 'number' ? usual : shownDefault(setting) } : {}),
      ...(shown === undefined ? {} : { examples: [schema.type === 'string' ? shown : parsed(shown)] }),
      ...(isSecret ? { writeOnly: true } : {}),
      ...(roles ? { 'x-roles': roles } : {}),
    }
    return [name, { ...schema, ...annotations }]
  })
  const names = allSettings.map(({ name }) => name).join('|')
  const file = { type: 'string', minLength: 1, description: 'File that holds the value of the setting.' }
  const whole = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    $comment: writtenBy,
    title: 'Settings of the ARI gateway',
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(properties),
    patternProperties: { [`^(?:${names})_FILE$`]: file },
  }
  return `${JSON.stringify(whole, undefined, 2)}\n`
}

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return value
  } catch {
    return text
  }
}

function otherwise(setting: Setting<unknown>): string {
  return setting.otherwise ?? (setting.usual === undefined ? 'none' : `\`${shownDefault(setting)}\``)
}

/** A default is a text, a number, or a list of texts. */
function shownDefault({ usual }: Setting<unknown>): string {
  if (Array.isArray(usual)) return usual.join()
  return typeof usual === 'string' || typeof usual === 'number' ? String(usual) : ''
}

/** Markdown without links and code. */
function plain(markdown: string): string {
  return markdown.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1').replaceAll('`', '')
}

const commentWidth = 110

function comment(words: string): string {
  const lines = ['#']
  for (const word of words.split(' ')) {
    const longer = `${lines.at(-1)} ${word}`
    if (longer.length > commentWidth) lines.push(`# ${word}`)
    else lines[lines.length - 1] = longer
  }
  return lines.join('\n')
}

for (const [path, make] of Object.entries(written)) {
  const file = join(root, path)
  const wanted = make()
  if (process.argv.includes('--write')) {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, wanted)
  } else if (!existsSync(file) || readFileSync(file, 'utf8') !== wanted) {
    process.stdout.write(`${path} is not what src/settings/settings.ts gives: run "npm run write:settings"\n`)
    process.exitCode = 1
  }
}

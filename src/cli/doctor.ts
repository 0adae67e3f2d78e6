import { Command } from 'commander'
import { checks, levels, resultOf, type DoctorFinding, type Level } from '../doctor/findings.ts'
import { failureLines } from '../start/failure-lines.ts'
import { paint, printJson, printLine, remark } from './print.ts'

const exitCodes = { ok: 0, warning: 0, wrong: 1, notExamined: 2 } as const

export function doctorCommand(version: string): Command {
  return new Command('doctor')
    .description('check this installation; for each problem, say why it matters and what to do')
    .option(
      '--suppliers',
      'also open a connection to the host of each supplier URL, without sending anything',
    )
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
It works whether or not the service is running, changes nothing, and calls no supplier. The output contains no
passwords, keys or tokens, so you can paste it into a ticket. Run it as the service's user, with the service's settings.
Exit code: 0 no problems or only warnings, 1 something is wrong, 2 the check itself could not run.`,
    )
    .action(async ({ suppliers, json }: { suppliers?: boolean; json?: boolean }) => {
      try {
        // Loaded by this command alone: it needs much of the product.
        const { examine } = await import('../doctor/examine.ts')
        const findings = await examine({ callsSuppliers: suppliers === true })
        const result = resultOf(findings)
        if (json === true) printJson({ result, version, findings: findings.map(asJson) })
        else print(findings, version)
        process.exitCode = exitCodes[result]
      } catch (error) {
        for (const line of failureLines(error)) remark(`error: ${line}`)
        process.exitCode = exitCodes.notExamined
      }
    })
}

const asJson = ({ check, level, message, why = '', remedy = '' }: DoctorFinding) => ({
  check,
  level,
  message,
  why: why === '' ? null : why,
  remedy: remedy === '' ? null : remedy,
})

const colours = { ok: 'green', skipped: 'gray', warning: 'yellow', wrong: 'red' } as const
const widthOf = (texts: readonly string[]): number => Math.max(...texts.map(({ length }) => length)) + 2
const [levelWidth, checkWidth] = [widthOf(levels), widthOf(checks)]

function print(findings: readonly DoctorFinding[], version: string): void {
  const indent = ' '.repeat(levelWidth + checkWidth)
  for (const { check, level, message, why, remedy } of findings) {
    const head = paint(colours[level], level) + ' '.repeat(levelWidth - level.length)
    printLine(`${head}${check.padEnd(checkWidth)}${message}`)
    if (why !== undefined) printLine(`${indent}why: ${why}`)
    if (remedy !== undefined) printLine(`${indent}do:  ${remedy}`)
  }
  const count = (level: Level): number => findings.filter((one) => one.level === level).length
  printLine(`\nari ${version}: ${count('wrong')} wrong, ${count('warning')} warnings, ${count('ok')} ok`)
}

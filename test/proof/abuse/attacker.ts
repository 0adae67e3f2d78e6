/** One attack, in a process of its own, until its input ends; then it prints what it sent. */
import { setPriority } from 'node:os'
import { attackNames, attacks, type AttackCounts } from './attacks.ts'

const [name, target] = JSON.parse(process.argv[2] ?? '')
const known = attackNames.find((one) => one === name)
if (known === undefined) throw new Error(`There is no attack ${name}`)

// A real attacker has its own machine: here it must not take CPU from the service under attack.
setPriority(10)
const counts: AttackCounts = { requests: 0, byStatus: {} }
await attacks[known](target, counts)
process.stdout.write('begun\n')
process.stdin.resume().once('end', () => process.stdout.write(JSON.stringify(counts), () => process.exit(0)))

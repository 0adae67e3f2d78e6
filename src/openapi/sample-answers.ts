import type { RouteName } from '../contract.ts'

export const sampleAnswers: Readonly<Partial<Record<RouteName, readonly unknown[]>>> = {}

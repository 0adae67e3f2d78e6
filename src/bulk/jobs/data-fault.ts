import type { Problem } from '../../http/rejected.ts'

/** The data can't be read any further: the job fails. */
export class DataFault extends Error {
  readonly problem: Problem
  constructor(problem: Problem, options?: ErrorOptions) {
    super(problem.message, options)
    this.name = 'DataFault'
    this.problem = problem
  }
}

import { fuzzOperations } from '../fuzz/operations.ts'
import { engines } from '../support/engines.ts'

for (const engine of engines) fuzzOperations(engine, Number(process.env.FUZZ_RUNS ?? 2_000))

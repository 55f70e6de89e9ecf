import { sqliteEngine } from '../support/engines.ts'
import { fuzzOperations } from './operations.ts'

fuzzOperations(sqliteEngine, 40)

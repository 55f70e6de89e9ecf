/** Without a server, PGlite is the only test of PostgreSQL that meets every statement of the operations. */
import { postgresEngine, sqliteEngine } from '../support/engines.ts'
import { fuzzOperations } from './operations.ts'

fuzzOperations(sqliteEngine, 20)
fuzzOperations(postgresEngine, 10)

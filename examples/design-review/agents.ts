/**
 * Agents of a small software company, played by functions. Each takes some seconds and some cents, as models would.
 *
 * @module
 */
import { approve, requestChanges, type Decision, type Issue, type Report, type TaskRevision } from 'phasegate';

/** The surroundings of the agents. */
export interface Office {
  /** Waits for the given milliseconds. */
  readonly wait: (ms: number) => Promise<void>;
}

/** The output of the planner: the semantic units of a request. */
export interface ProjectPlan {
  readonly units: readonly string[];
}

/** The output of the designer. */
export interface Design {
  readonly endpoints: readonly string[];
}

type Tell = (report: Report) => void;

/** Decomposes a request into units. It leaves out authentication until a review asks for it. */
export async function planProject(office: Office, report: Tell, revision?: TaskRevision): Promise<ProjectPlan> {
  await office.wait(10_000);
  report({ costUsd: 0.02, tokens: 2000 });
  const units = ['CreateUser', 'UpdateUser', 'DeleteUser', 'ListUsers'];
  const isMissed = (revision?.issues ?? []).some(({ id }) => id === NO_AUTHENTICATION.id);
  return { units: isMissed ? ['Authentication', ...units] : units };
}

/** Designs the endpoints of the units in a plan. */
export async function designApi(office: Office, report: Tell, { units }: ProjectPlan): Promise<Design> {
  await office.wait(15_000);
  report({ costUsd: 0.03, tokens: 3000 });
  const isSafe = units.includes('Authentication');
  const endpoints = units.flatMap((unit) => (ENDPOINTS[unit] ?? []).map((one) => (isSafe ? guarded(one) : one)));
  return { endpoints };
}

/** Reviews a design. Missing authentication is an issue of the planning phase. */
export async function reviewDesign(office: Office, report: Tell, { endpoints }: Design): Promise<Decision> {
  await office.wait(5000);
  report({ costUsd: 0.01, tokens: 1000 });
  return endpoints.some((one) => one.startsWith('POST /login')) ? approve() : requestChanges([NO_AUTHENTICATION]);
}

/** Writes code for a design. */
export async function writeCode(office: Office, report: Tell, { endpoints }: Design): Promise<string> {
  await office.wait(20_000);
  report({ costUsd: 0.04, tokens: 4000 });
  return endpoints.map((one) => `route(${JSON.stringify(one)});`).join('\n');
}

// --- internal ---

const NO_AUTHENTICATION = {
  id: 'no-authentication',
  category: 'security',
  severity: 'critical',
  description: 'No authentication mechanism.',
  evidence: 'No endpoint takes a token, and none gives one out.',
  impact: 'Anybody can delete users.',
  affectedPhase: 'planning',
  requiredChange: 'Add a semantic unit for authentication.',
} as const satisfies Issue;

const ENDPOINTS: Readonly<Record<string, readonly string[]>> = {
  Authentication: ['POST /login', 'POST /logout'],
  CreateUser: ['POST /users'],
  UpdateUser: ['PUT /users/{id}'],
  DeleteUser: ['DELETE /users/{id}'],
  ListUsers: ['GET /users'],
};

function guarded(endpoint: string): string {
  return endpoint === 'POST /login' ? endpoint : `${endpoint} (with a token)`;
}

/**
 * A readable form of a scenario, without its defaults.
 *
 * @module
 */
import type { GateSpec, PhaseSpec, Scenario } from '../reference/scenario.ts';

/** Formats a scenario as a few lines. */
export function show(scenario: Scenario): string {
  const { phases, seed, ...rest } = scenario;
  return [`scenario seed=${seed} ${options(rest)}`, ...phases.map(phaseLines)].join('\n');
}

// --- internal ---

function phaseLines(phase: PhaseSpec): string {
  const arrow = phase.after.length > 0 ? ` <- ${phase.after.join(', ')}` : '';
  const tasks = phase.tasks.map((task) => {
    const { name, calls, ...rest } = task;
    return `    task ${name}${options(rest, { tries: 1 })}: ${list(calls)}`;
  });
  const people = phase.people.length > 0 ? [`    people: ${list(phase.people)}`] : [];
  const mode = phase.mode === 'dependencies' ? '' : ` (${phase.mode})`;
  return [`  ${phase.name}${arrow}${mode}`, ...tasks, ...(phase.gate ? gateLines(phase.gate) : []), ...people].join(
    '\n',
  );
}

function gateLines(gate: GateSpec): string[] {
  const { reviewers, checks, ...rest } = gate;
  return [
    `    gate${options(rest)}`,
    ...checks.map(({ name, calls }) => `    check ${name}: ${list(calls)}`),
    ...reviewers.map(({ name, calls }) => `    reviewer ${name}: ${list(calls)}`),
  ];
}

function options(record: object, defaults: Readonly<Record<string, unknown>> = {}): string {
  return Object.entries(record)
    .filter(([key, value]) => value !== undefined && value !== defaults[key] && JSON.stringify(value) !== '[]')
    .map(([key, value]) => ` ${key}=${JSON.stringify(value)}`)
    .join('');
}

function list(calls: readonly object[]): string {
  const one = (call: object) => {
    const { do: act, ...rest } = call as { do: string };
    return `${act}${options(rest)}`;
  };
  return calls.length === 0 ? 'always well' : `${calls.map(one).join(' | ')} | then well`;
}

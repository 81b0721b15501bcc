"""A list of dumps through Slurm (its own daemons, on this machine) and through GNU parallel."""

import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
import unittest

import common

FARM = os.path.join(common.TOP, "farm")
FIXTURE = "linux-6.1-virtio.elf"
TASKS = 4

CONFIGURATION = """\
ClusterName=rbstats
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller}
SlurmdPort={daemon}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CryptoType=crypto/munge
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
JobCompType=jobcomp/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
ReturnToService=2
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Farm(common.Test):
    def setUp(self):
        super().setUp()
        self.folder = tempfile.mkdtemp(prefix="rbstats-farm-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.results = os.path.join(self.folder, "results")
        os.mkdir(self.results)
        self.dumps = [common.fixture(FIXTURE), self.bad()]
        for number in range(9):
            copy = os.path.join(self.folder, "dump %d" % number)
            os.symlink(self.dumps[0], copy)
            self.dumps.append(copy)
        self.list = os.path.join(self.folder, "list")
        with open(self.list, "w") as file:
            file.write("".join(dump + "\n" for dump in self.dumps))

    def bad(self):
        path = os.path.join(self.folder, "bad")
        with open(path, "w") as file:
            file.write("no dump")
        return path

    def check(self, rows):
        self.assertEqual([row["path"] for row in rows], self.dumps)
        failed = [row["path"] for row in rows if row["status"] == "failed"]
        self.assertEqual(failed, [self.dumps[1]])
        alone = json.loads(self.rbstats("triage", "-F", "jsonl", self.dumps[0]).out)
        for row in rows:
            if row["status"] == "ok":
                self.assertEqual(row["findings"], alone["findings"])

    def merged(self, status):
        ran = common.run([os.path.join(FARM, "merge-results"), self.list, self.results])
        self.assertEqual(ran.status, status, ran)
        return [json.loads(line) for line in ran.out.splitlines()]

    # -- Slurm --

    def start(self, argv, ready):
        log = open(os.path.join(self.folder, os.path.basename(argv[0]) + ".out"), "w")
        self.addCleanup(log.close)
        process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                   env=self.environment)
        self.addCleanup(process.wait, 20)
        self.addCleanup(process.terminate)
        for _ in range(200):
            if ready():
                return
            if process.poll() is not None:
                break
            time.sleep(0.1)
        with open(log.name) as text:
            self.fail("%s does not start: %s" % (argv[0], text.read()[-2000:]))

    def slurm_start(self):
        for tool in ("munged", "slurmctld", "slurmd", "sbatch", "sinfo"):
            if not shutil.which(tool, path=os.environ["PATH"] + ":/usr/sbin"):
                common.skip_or_fail("%s is not installed" % tool, excused=False)
        if os.geteuid():
            raise unittest.SkipTest("Slurm's daemons need root")
        for name in ("state", "spool"):
            os.mkdir(os.path.join(self.folder, name))
        key = os.path.join(self.folder, "munge.key")
        with open(os.open(key, os.O_WRONLY | os.O_CREAT, 0o600), "wb") as file:
            file.write(os.urandom(128))
        configuration = os.path.join(self.folder, "slurm.conf")
        with open(configuration, "w") as file:
            file.write(CONFIGURATION.format(
                host=socket.gethostname().partition(".")[0], folder=self.folder,
                controller=free_port(), daemon=free_port(), cpus=os.cpu_count()))
        if not os.path.ismount("/sys/fs/cgroup"):
            # Slurm since 23.11 does not start without, unless it is told to; 22.05 does not ask.
            with open(os.path.join(self.folder, "cgroup.conf"), "w") as file:
                file.write("CgroupPlugin=disabled\n")
        self.environment = dict(os.environ, SLURM_CONF=configuration, RBSTATS=self.program,
                                PATH=os.environ["PATH"] + ":/usr/sbin")
        # munged wants folders that nobody else can write to.
        os.chmod(self.folder, 0o755)
        self.start(["munged", "--foreground", "--force", "--key-file=" + key,
                    "--socket=" + self.folder + "/munge.socket",
                    "--pid-file=" + self.folder + "/munged.pid",
                    "--log-file=" + self.folder + "/munged.log",
                    "--seed-file=" + self.folder + "/munged.seed"],
                   lambda: os.path.exists(self.folder + "/munge.socket"))
        self.start(["slurmctld", "-D", "-c", "-f", configuration], lambda: self.sinfo() is not None)
        self.start(["slurmd", "-D", "-f", configuration], lambda: self.sinfo() == "idle")

    def sinfo(self):
        done = subprocess.run(["sinfo", "-h", "-o", "%T"], env=self.environment,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=60)
        return done.stdout.decode().strip() if done.returncode == 0 else None

    def test_slurm(self):
        self.slurm_start()
        ran = common.run(["sbatch", "--wait", "--array=0-%d" % (TASKS - 1), "--mem=0",
                          os.path.join(FARM, "triage-array.sbatch"), self.list, self.results],
                         env=self.environment, timeout=180)
        self.assertEqual(ran.status, 0, ran)
        self.assertEqual(len(os.listdir(self.results)), TASKS)
        self.check(self.merged(3))

    # -- and without it --

    def test_parallel(self):
        if not shutil.which("parallel"):
            common.skip_or_fail("GNU parallel is not installed", excused=False)
        ran = common.run(["parallel", "--jobs", "2", "--colsep", "\n", "-a", self.list,
                          self.program, "triage", "-F", "jsonl", "{}"],
                         env={"HOME": self.folder})
        rows = {row["path"]: row for row in map(json.loads, ran.out.splitlines())}
        self.check([rows[dump] for dump in self.dumps])

    def test_a_missing_part_is_said(self):
        rows = self.merged(1)
        self.assertEqual([row["path"] for row in rows], self.dumps)
        self.assertEqual({row["reason"] for row in rows}, {"no task of the farm answered for it"})


if __name__ == "__main__":
    unittest.main()

"""The agent of a node (`hotswap agent`): does what the control plane wants, tells what happens.

::

    main > agent > sender | execution > hosted_jobs > members | hosted_job > feeds | records

`agent.Agent` runs three loops: one asks the plane for commands and waits for them, one reports, and
one looks after the processes. Whatever must not be lost lies in the state directory before it is
acted on, so that an agent that was killed goes on where it was; the processes of a job don't
notice.
"""

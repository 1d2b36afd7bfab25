"""Which methods of a process group carry a collective, under torch 2.13's names and older ones.

``torch.distributed`` functions, DDP's reducer, FSDP2, DTensor and functional collectives reach a
group through these methods. Names of the same collective in several releases stand side by side:
torch 2.13 calls ``all_gather_single`` where 2.12 and older called ``_allgather_base``.
"""

#: Collectives that are carried by the bound group as they are.
CARRIED = frozenset(
    {
        "_allgather_base",
        "_reduce_scatter_base",
        "all_gather_single",
        "all_gather_single_coalesced",
        "all_to_all_single",
        "allgather",
        "allgather_coalesced",
        "allgather_into_tensor_coalesced",
        "allreduce",
        "allreduce_coalesced",
        "alltoall",
        "alltoall_base",
        "barrier",
        "broadcast",
        "gather",
        "recv",
        "reduce",
        "reduce_scatter",
        "reduce_scatter_single",
        "reduce_scatter_single_coalesced",
        "reduce_scatter_tensor_coalesced",
        "scatter",
        "send",
    }
)

#: Collectives that can't be carried, and why. A call names the collective and the reason.
REFUSED = {
    "recv_anysource": "who sent is not a function of the step, so a repeated step could differ",
    "monitored_barrier": "a rank that is late is the coordinator's business; use barrier",
    "split_group": "a split shares the parent's connections, which change at a swap; use new_group",
    "merge_remote_group": "intercommunicators can't be bound again; use new_group",
}
